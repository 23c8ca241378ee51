// Table: rows that are sorted, filtered and updated in place.

import {element} from './dom.js';

const MOST_ROWS = 300;  // In the document; the rest is reached by filtering.

// Wide columns are left out on narrow screens.
const classOf = (tag, column, kind) => tag + kind + (column.isWide ? '.wide' : '');

export class Table {
  // columns: [{key, title, cell(row) -> text, node or list of them, order(row) -> number or text,
  //            mark(row) -> what cell shows, for telling whether it changed, kind: '' | 'text' | 'name', isWide}]
  // nothing: what to say when there are no rows at all.
  constructor(box, {columns, keyOf, onPick, onSort, label, nothing}) {
    Object.assign(this, {box, columns, keyOf, onPick, onSort, nothing});
    this.rows = new Map();
    this.body = element('tbody');
    this.heads = columns.map(column => {
      const head = element(classOf('th', column, column.kind ? '.text' : ''), {scope: 'col'});
      if (column.order === undefined) {
        head.append(column.title);
      } else {
        const button = element('button', {type: 'button'}, column.title);
        button.addEventListener('click', () => this.onSort(column.key));
        head.append(button);
      }
      return head;
    });
    this.table = element('table', {'aria-label': label}, element('thead', {}, element('tr', {}, ...this.heads)), this.body);
    this.said = element('p.nothing', {role: 'status'});
    this.body.addEventListener('click', event => this.#pick(event));
    this.body.addEventListener('keydown', event => this.#key(event));
  }

  show() {
    if (this.table.parentNode !== this.box) this.box.replaceChildren(this.table, this.said);
  }

  // sort: a key, with '-' before it for the smallest first. Returns how many rows there are in all.
  update(rows, {sort, filter, textOf, selected}) {
    const kept = rows.filter(this.#testOf(filter, textOf));
    const sortable = this.columns.filter(c => c.order !== undefined);
    const column = sortable.find(c => c.key === sort.replace(/^-/, '')) ?? sortable[0];
    const sign = sort.startsWith('-') ? 1 : -1;
    const order = column.order;
    kept.sort((a, b) => {
      const [x, y] = [order(a), order(b)];
      const compared = typeof x === 'string' ? (x < y ? 1 : x > y ? -1 : 0) : x - y;
      return sign * compared || (this.keyOf(a) < this.keyOf(b) ? -1 : 1);
    });
    this.heads.forEach((head, i) => {
      if (this.columns[i] === column) head.setAttribute('aria-sort', sign < 0 ? 'descending' : 'ascending');
      else head.removeAttribute('aria-sort');
    });
    const focused = document.activeElement;  // Rows that move lose it.
    const seen = new Set();
    kept.slice(0, MOST_ROWS).forEach((row, i) => {
      const key = String(this.keyOf(row));
      seen.add(key);
      const line = this.#lineFor(key);
      this.#fill(line, row);
      line.row.setAttribute('aria-selected', String(selected === key));
      if (this.body.children[i] !== line.row) this.body.insertBefore(line.row, this.body.children[i] ?? null);
    });
    for (const [key, line] of this.rows) {
      if (seen.has(key)) continue;
      line.row.remove();
      this.rows.delete(key);
    }
    if (focused !== document.activeElement && this.body.contains(focused)) focused.focus({preventScroll: true});
    this.table.hidden = kept.length === 0;
    this.said.hidden = kept.length > 0;
    const text = rows.length === 0 ? this.nothing : 'Nothing matches the filter.';
    if (this.said.textContent !== text) this.said.textContent = text;
    return {shown: Math.min(kept.length, MOST_ROWS), kept: kept.length, all: rows.length};
  }

  // Words like "state:idle" are looked for in one column, the rest of the filter in the text of the row.
  #testOf(filter, textOf) {
    const wanted = [];
    const plain = [];
    for (const word of filter.toLowerCase().split(/\s+/)) {
      const column = this.columns.find(({key, order}) => order !== undefined && word.startsWith(key + ':'));
      if (column === undefined) plain.push(word);
      else wanted.push(row => String(column.order(row)).toLowerCase().includes(word.slice(column.key.length + 1)));
    }
    const text = plain.join(' ').trim();
    return row => textOf(row).toLowerCase().includes(text) && wanted.every(isIn => isIn(row));
  }

  #lineFor(key) {
    let line = this.rows.get(key);
    if (line !== undefined) return line;
    const cells = this.columns.map(column => element(classOf('td', column, column.kind ? '.' + column.kind : '')));
    line = {row: element('tr', {tabindex: '0'}, ...cells), cells, shown: []};
    line.row.dataset.key = key;
    this.rows.set(key, line);
    return line;
  }

  // Only cells whose content changed are touched.
  #fill(line, row) {
    this.columns.forEach((column, i) => {
      const content = column.cell(row);
      const mark = column.mark === undefined ? content : column.mark(row);
      if (line.shown[i] === mark) return;
      line.shown[i] = mark;
      if (Array.isArray(content)) line.cells[i].replaceChildren(...content);
      else line.cells[i].replaceChildren(content);
      if (column.kind === 'name') line.cells[i].title = column.title_of?.(row) ?? '';
    });
  }

  #pick(event) {
    if (event.target.closest('input, a')) return;
    const row = event.target.closest('tr');
    if (row !== null) this.onPick?.(row.dataset.key);
  }

  #key(event) {
    const row = event.target.closest('tr');
    if (row === null || event.target !== row) return;
    if (event.key === 'Enter') this.onPick?.(row.dataset.key);
    else if (event.key === 'ArrowDown') row.nextElementSibling?.focus();
    else if (event.key === 'ArrowUp') row.previousElementSibling?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
