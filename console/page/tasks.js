// Tasks: every task of the process, and one of them in detail.

import {duration, element} from './dom.js';
import {Table} from './table.js';

export class Tasks {
  constructor(box, state) {
    this.state = state;
    this.byId = new Map();
    this.time = 0;
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
      nothing: 'No tasks. sonde::co_spawn, sonde::Task and the target sonde::asio_tracking make work visible here.',
      keyOf: task => task.id,
      onPick: id => state.set({task: state.task === id ? '' : id, zoom: ''}),
      onSort: key => state.set({sort: state.sort === key ? '-' + key : key}),
      columns: [
        {key: 'state', title: 'state', kind: 'text', order: task => task.state,
         cell: task => [element('i.dot.' + task.state), task.state], mark: task => task.state},
        {key: 'id', title: 'id', isWide: true, cell: task => String(task.id), order: task => task.id},
        {key: 'name', title: 'task', kind: 'name', cell: task => task.name, order: task => task.name, title_of: task => placeOf(task)},
        {key: 'cpu', title: 'busy now', cell: task => (100 * task.load).toFixed(1) + '\u2009%', order: task => task.load},
        {key: 'shares', title: 'busy · scheduled · idle', kind: 'text', isWide: true, cell: shares, order: task => task.busy_ns,
         mark: task => `${task.busy_ns} ${task.scheduled_ns} ${task.idle_ns}`},
        {key: 'polls', title: 'polls', isWide: true, cell: task => task.polls.toLocaleString('en').replaceAll(',', '\u2009'), order: task => task.polls},
        {key: 'age', title: 'age', isWide: true, cell: task => duration(task.total_ns), order: task => task.total_ns},
        {key: 'warnings', title: 'warnings', kind: 'text', order: task => task.warnings.length,
         cell: task => (task.warnings.length === 0 ? '' : [element('span.warn', {}, task.warnings.join('; '))]), mark: task => task.warnings.join('; ')},
      ],
    });
  }

  // An answer of /api/tasks; with the one before it tells how busy each task is now.
  replace({time_ns: time, tasks}) {
    const passed = time - this.time;
    this.byId = new Map(tasks.map(task => {
      const before = this.byId.get(task.id);
      const load = before === undefined || passed <= 0 ? task.busy_ns / (task.total_ns || 1)
          : Math.max(task.busy_ns - before.busy_ns, 0) / passed;
      return [task.id, {...task, load, warnings: warningsOf(task)}];
    }));
    this.time = time;
  }

  find(id) { return this.byId.get(Number(id)); }

  show() {
    this.table.show();
    return this.table.update([...this.byId.values()], {sort: this.state.sort || 'cpu', filter: this.state.filter,
        textOf: task => `${task.name} ${task.kind} ${task.state} ${placeOf(task)} ${task.warnings.join(' ')}`, selected: this.state.task});
  }
}

const placeOf = task => (task.file ? `${task.file}:${task.line}` : '');

// What is odd about a task.
function warningsOf(task) {
  const warnings = [];
  const isLiving = task.outcome === undefined;
  if (isLiving && task.wakers === 0 && task.state === 'idle' && task.polls > 0) warnings.push('nothing can wake it');
  if (task.wakes > 20 && task.self_wakes * 2 > task.wakes) warnings.push('wakes itself over and over');
  if (task.polls > 0 && task.busy_ns / task.polls > 1e8) warnings.push('polls take ' + duration(task.busy_ns / task.polls));
  return warnings;
}

// A histogram as rows: from which duration on, a bar, how many.
function histogramOf(title, {max_ns: max, buckets}) {
  if (buckets.length === 0) return [];
  const counts = new Map(buckets.map(({from_ns: from, count}) => [from, count]));
  const most = Math.max(...counts.values());
  const rows = element('div.histogram', {role: 'table', 'aria-label': title});
  for (let from = buckets[0].from_ns; from <= buckets.at(-1).from_ns; from = from === 0 ? 2 : from * 2) {
    const count = counts.get(from) ?? 0;
    const bar = element('i');
    bar.style.width = (100 * count) / most + '%';
    if (count === 0) bar.style.visibility = 'hidden';
    const row = element('div', {role: 'row'}, element('span', {role: 'rowheader'}, duration(from)), element('div', {}, bar),
                        element('span', {role: 'cell'}, globalThis.sondeFlame.formatCount(count)));
    rows.append(row);
  }
  return [element('h3', {}, `${title}, longest ${duration(max)}`), rows];
}

// The contents of the aside; `details`, an answer of /api/tasks/ID, may be missing.
export function describeTask(task, details) {
  const lines = [`${task.kind} ${task.id}, ${task.outcome ?? task.state}`, placeOf(task),
                 `busy ${duration(task.busy_ns)}, scheduled ${duration(task.scheduled_ns)}, idle ${duration(task.idle_ns)}`,
                 `${task.polls} polls, ${task.polls > 0 ? duration(task.busy_ns / task.polls) : '0 ns'} each`,
                 `woken ${task.wakes} times, ${task.self_wakes} by itself; wakers held: ${task.wakers}`,
                 ...Object.entries(task.fields ?? {}).map(([name, value]) => `${name} = ${value}`)];
  return [element('h2', {}, task.name), ...lines.filter(line => line !== '').map(line => element('p', {}, line)),
          ...task.warnings.map(warning => element('p.warn', {}, warning)),
          ...(details === undefined ? [] : [...histogramOf('poll times', details.poll_times), ...histogramOf('scheduled times', details.scheduled_times)])];
}
