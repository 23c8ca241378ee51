// Snapshots: the files on disk, to open, fetch and compare.

import {snapshotPath, withToken} from './api.js';
import {duration, element} from './dom.js';
import {Table} from './table.js';

const NOTHING = 'No snapshots yet. One is written at the end of each interval, and now with the button above.';

const when = time => (time === null ? '?' : time.replace('T', ' ').replace(/\.\d+Z$/, ' UTC'));

function size(bytes) {
  return bytes < 1024 ? bytes + ' B' : bytes < 1024 ** 2 ? (bytes / 1024).toFixed(1) + ' KiB' : (bytes / 1024 ** 2).toFixed(1) + ' MiB';
}

export class Snapshots {
  // onTick: how many are ticked changed.
  constructor(box, state, onTick) {
    this.state = state;
    this.list = [];
    this.ticked = [];
    const tick = snapshot => {
      const input = element('input', {type: 'checkbox', 'aria-label': 'Compare ' + snapshot.name});
      input.checked = this.ticked.includes(snapshot.name);
      input.addEventListener('change', () => {
        this.ticked = this.ticked.filter(name => name !== snapshot.name);
        if (input.checked) this.ticked.push(snapshot.name);
        onTick(this.ticked.length);
      });
      return input;
    };
    this.table = new Table(box, {
      label: 'Snapshots',
      nothing: NOTHING,
      keyOf: snapshot => snapshot.name,
      onPick: name => state.set({snapshot: state.snapshot === name ? '' : name, against: '', zoom: ''}),
      onSort: key => state.set({sort: state.sort === key ? '-' + key : key}),
      columns: [
        {key: 'tick', title: '', cell: tick, mark: snapshot => snapshot.name},
        {key: 'start', title: 'started', kind: 'text', cell: snapshot => when(snapshot.start), order: snapshot => Date.parse(snapshot.start ?? '1970-01-01')},
        {key: 'role', title: 'role', kind: 'text', isWide: true, cell: snapshot => snapshot.role, order: snapshot => snapshot.role},
        {key: 'span', title: 'span', cell: snapshot => (snapshot.duration_ns === null ? '?' : duration(snapshot.duration_ns)), order: snapshot => snapshot.duration_ns},
        {key: 'samples', title: 'samples', cell: snapshot => String(snapshot.samples ?? '?'), order: snapshot => snapshot.samples},
        {key: 'dropped', title: 'dropped', isWide: true, cell: snapshot => String(snapshot.dropped ?? '?'), order: snapshot => snapshot.dropped},
        {key: 'bytes', title: 'size', cell: snapshot => size(snapshot.bytes), order: snapshot => snapshot.bytes},
        {key: 'file', title: 'file', kind: 'name', mark: snapshot => snapshot.name, order: snapshot => snapshot.name,
         cell: snapshot => [element('a', {href: withToken(snapshotPath(snapshot.name)), download: snapshot.name}, snapshot.name)]},
      ],
    });
  }

  // Why the newest could not be written; empty when it was.
  tellProblem(problem) {
    this.table.nothing = problem === '' ? NOTHING : `No snapshots: they cannot be written. ${problem}.`;
  }

  replace({snapshots}) {
    this.list = snapshots;
    const names = new Set(snapshots.map(snapshot => snapshot.name));
    this.ticked = this.ticked.filter(name => names.has(name));
  }

  // The two that are ticked, the older first.
  pair() {
    const start = name => this.list.find(snapshot => snapshot.name === name)?.start ?? '';
    return this.ticked.slice().sort((a, b) => (start(a) < start(b) ? -1 : 1));
  }

  show() {
    this.table.show();
    return this.table.update(this.list, {sort: this.state.sort || 'start', filter: this.state.filter,
        textOf: snapshot => snapshot.name + ' ' + snapshot.role, selected: this.state.snapshot});
  }
}
