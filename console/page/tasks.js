// Tasks: every task of the process, and one of them in detail.

import {duration, element} from './dom.js';
import {Table} from './table.js';

export class Tasks {
  constructor(box, state) {
    this.state = state;
    this.byId = new Map();
    this.window = 1;
    const shares = task => {
      const all = task.busy_ns + task.scheduled_ns + task.idle_ns || 1;
      const bar = element('span.shares', {title: `busy ${duration(task.busy_ns)}, scheduled ${duration(task.scheduled_ns)}, idle ${duration(task.idle_ns)}`});
      for (const kind of ['busy', 'scheduled']) {
        const part = element('i.' + kind);
        part.style.width = (100 * task[kind + '_ns']) / all + '%';
        bar.append(part);
      }
      return bar;
    };
    this.table = new Table(box, {
      label: 'Tasks',
      keyOf: task => task.id,
      onPick: id => state.set({task: state.task === id ? '' : id, zoom: ''}),
      onSort: key => state.set({sort: state.sort === key ? '-' + key : key}),
      columns: [
        {key: 'state', title: 'state', kind: 'text', order: task => task.state,
         cell: task => [element('i.dot.' + task.state), task.state], mark: task => task.state},
        {key: 'id', title: 'id', isWide: true, cell: task => String(task.id), order: task => task.id},
        {key: 'name', title: 'task', kind: 'name', cell: task => task.name, order: task => task.name, title_of: task => task.spawned_at},
        {key: 'cpu', title: 'CPU', cell: task => duration(task.cpu_ns), order: task => task.cpu_ns},
        {key: 'shares', title: 'busy · scheduled · idle', kind: 'text', isWide: true, cell: shares, order: task => task.busy_ns,
         mark: task => `${task.busy_ns} ${task.scheduled_ns} ${task.idle_ns}`},
        {key: 'polls', title: 'polls', isWide: true, cell: task => task.polls.toLocaleString('en').replaceAll(',', '\u2009'), order: task => task.polls},
        {key: 'age', title: 'age', cell: task => duration(task.age_ns), order: task => task.age_ns},
        {key: 'warnings', title: 'warnings', kind: 'text', order: task => task.warnings.length,
         cell: task => (task.warnings.length === 0 ? '' : [element('span.warn', {}, task.warnings.join('; '))]), mark: task => task.warnings.join('; ')},
      ],
    });
  }

  replace({tasks}) { this.byId = new Map(tasks.map(task => [task.id, task])); }

  patch({changed, gone}) {
    for (const task of changed) this.byId.set(task.id, {...this.byId.get(task.id), ...task});
    for (const id of gone) this.byId.delete(id);
  }

  nameOf(id) { return this.byId.get(Number(id))?.name ?? 'task'; }

  show() {
    this.table.show();
    return this.table.update([...this.byId.values()], {sort: this.state.sort || 'cpu', filter: this.state.filter,
        textOf: task => `${task.name} ${task.state} ${task.spawned_at} ${task.warnings.join(' ')}`, selected: this.state.task});
  }
}

function histogram(title, {buckets, max_ns}) {
  const most = Math.max(...buckets.map(bucket => bucket.count), 1);
  const rows = buckets.flatMap(({up_to_ns, count}) => {
    const bar = element('i');
    bar.style.width = (100 * count) / most + '%';
    return [element('span', {}, '≤ ' + duration(up_to_ns)), bar, element('span', {}, String(count))];
  });
  return [element('h3', {}, `${title}, longest ${duration(max_ns)}`), element('div.histogram', {}, ...rows)];
}

// The contents of the aside for an answer of /api/task.
export function describeTask(task) {
  const labels = Object.entries(task.labels ?? {}).map(([key, value]) => `${key} = ${value}`);
  return [
    element('h2', {}, task.name),
    element('p', {}, `${task.state}, id ${task.id}, ${task.spawned_at}`),
    element('p', {}, `busy ${duration(task.busy_ns)}, scheduled ${duration(task.scheduled_ns)}, idle ${duration(task.idle_ns)}, ${task.polls} polls`),
    ...labels.map(label => element('p', {}, label)),
    ...task.warnings.map(warning => element('p.warn', {}, warning)),
    ...histogram('Poll times', task.poll_times),
    ...histogram('Scheduled times', task.scheduled_times),
  ];
}
