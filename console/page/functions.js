// Functions: the flame graph as a table, for reading, sorting and screen readers.

import {spark, swatch} from './dom.js';
import {Table} from './table.js';

const sonde = globalThis.sondeFlame;
const HISTORY = 40;      // Updates that a sparkline shows.
const WATCHED = 2000;    // Functions whose history is kept.

// Self and inclusive weight by function; a function counts once a stack.
function weigh(data) {
  const list = data.listFor(false);
  const count = list.frame.length;
  const total = Float64Array.from(list.self);
  for (let i = count; i-- > 1;) total[list.parent[i]] += total[i];
  const byName = new Map();
  const rowOf = frame => {
    const name = data.names[frame];
    let row = byName.get(name);
    if (row === undefined) {
      byName.set(name, row = {name, frame, self: 0, inclusive: 0, on: 0, module: data.modules[frame], place: data.places[frame],
                              color: data.moduleColors.slice(2 * frame, 2 * frame + 2)});
    }
    return row;
  };
  const open = [];  // The rows of the path to the node.
  const path = [];
  for (let i = 1; i < count; ++i) {
    while (path.length > 0 && path.at(-1) !== list.parent[i]) {
      path.pop();
      const left = open.pop();
      if (left !== null) --left.on;
    }
    const row = list.frame[i] < 0 ? null : rowOf(list.frame[i]);
    if (row !== null) {
      row.self += list.self[i];
      if (row.on === 0) row.inclusive += total[i];
      ++row.on;
    }
    path.push(i);
    open.push(row);
  }
  return {rows: [...byName.values()], total: total[0]};
}

export class Functions {
  constructor(box, state) {
    this.state = state;
    this.rows = [];
    this.total = 0;
    this.type = {type: '', unit: ''};
    this.history = new Map();
    this.updates = 0;
    const share = value => sonde.formatPercent(value, this.total);
    this.table = new Table(box, {
      label: 'Functions',
      keyOf: row => row.name,
      onPick: name => state.set({q: state.q === escaped(name) ? '' : escaped(name)}),
      onSort: key => state.set({sort: state.sort === key ? '-' + key : key}),
      columns: [
        {key: 'self', title: 'self', cell: row => share(row.self), order: row => row.self},
        {key: 'weight', title: '', isWide: true, cell: row => sonde.formatWeight(row.self, this.type)},
        {key: 'inclusive', title: 'inclusive', cell: row => share(row.inclusive), order: row => row.inclusive},
        {key: 'trend', title: 'last updates', kind: 'text', isWide: true, cell: row => spark(this.history.get(row.name) ?? [], HISTORY),
         mark: row => (this.history.has(row.name) ? this.updates : 0)},
        {key: 'name', title: 'function', kind: 'name', order: row => row.name, cell: row => [swatch(row.color), row.name],
         mark: row => row.color + row.name, title_of: row => row.name + (row.place ? '\n' + row.place : '')},
        {key: 'module', title: 'module', kind: 'text', isWide: true, cell: row => row.module, order: row => row.module},
      ],
    });
  }

  // Each answer of /api/flame; `isLive` ones make the history. One that `hasJustBegun` cannot hold samples yet.
  take(data, isLive, hasJustBegun) {
    this.table.nothing = hasJustBegun ? 'Sampling of this window has just begun.' : 'Nothing was sampled in this window.';
    const {rows, total} = weigh(data);
    this.rows = rows;
    this.total = total;
    this.type = data.type;
    if (!isLive) return;
    ++this.updates;
    for (const row of rows) {
      const values = this.history.get(row.name) ?? [];
      if (values.length === 0 && (row.self === 0 || this.history.size >= WATCHED)) continue;
      values.push(total === 0 ? 0 : row.self / total);
      if (values.length > HISTORY) values.shift();
      this.history.set(row.name, values);
    }
    const present = new Set(rows.map(row => row.name));
    for (const [name, values] of this.history) {
      if (present.has(name)) continue;
      values.push(0);
      if (values.length > HISTORY) values.shift();
      if (values.every(value => value === 0)) this.history.delete(name);
    }
  }

  show() {
    this.table.show();
    return this.table.update(this.rows, {sort: this.state.sort || 'self', filter: this.state.filter,
                                         textOf: row => row.name + ' ' + row.module, selected: null});
  }
}

// A pattern that finds this name and no other.
const escaped = name => '^' + name.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&') + '$';
