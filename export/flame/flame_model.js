// FlameData and FlameTree: a flame graph as arrays; no drawing here.
// Plain scripts, not modules: a saved SVG carries them in one script element.
(function (sonde) {
'use strict';

const NO_FRAME = -1;  // A node that stands for children left out of the file.

// What the file holds, with its nodes in a list where a parent precedes its children.
class FlameData {
  constructor(json) {
    const frames = json.frames;
    this.names = frames.name;
    this.kinds = frames.kind;
    this.places = frames.place;
    this.modules = frames.module.map(m => (m < 0 ? '' : json.modules[m]));
    this.moduleColors = frames.color;
    this.kindColors = frames.kind_color;
    this.type = {type: json.type, unit: json.unit};
    this.isDifference = json.base !== undefined;
    this.isCallers = json.callers;
    this.leftOut = json.left_out;
    this.list = listOf(json.nodes, json.base);
    this.turned = null;
  }

  // The class of flame.css that a frame has by its 'kind', else by its module.
  colorOf(frame, by) {
    return (by === 'kind' ? this.kindColors : this.moduleColors).slice(2 * frame, 2 * frame + 2);
  }

  // The list with callers (`callers` true) or callees as children.
  listFor(callers) {
    if (callers === this.isCallers) return this.list;
    if (this.turned === null) this.turned = turn(this.list);
    return this.turned;
  }

  // The frames with the largest self weight; of a difference, with the largest change of it.
  hottest(count) {
    const list = this.listFor(false);
    const byName = new Map();
    for (let i = 0; i < list.frame.length; ++i) {
      if (list.frame[i] <= 0) continue;
      const name = this.names[list.frame[i]];
      let sum = byName.get(name);
      if (sum === undefined) byName.set(name, sum = {name, frame: list.frame[i], self: 0, base: 0});
      sum.self += list.self[i];
      sum.base += list.base[i];
    }
    const sum = key => list[key].reduce((all, one) => all + one, 0);
    const least = Math.max(sum('self'), sum('base')) / 1000;
    const weight = s => (this.isDifference ? Math.abs(s.self - s.base) : s.self);
    return [...byName.values()].filter(s => weight(s) > least)
        .sort((a, b) => weight(b) - weight(a) || (a.name < b.name ? -1 : 1)).slice(0, count);
  }
}

// Nodes come as frame, depth, self in preorder.
function listOf(nodes, base) {
  const count = nodes.length / 3;
  const list = newList(count);
  const path = [];
  for (let i = 0; i < count; ++i) {
    const depth = nodes[3 * i + 1];
    list.frame[i] = nodes[3 * i];
    list.self[i] = nodes[3 * i + 2];
    list.base[i] = base === undefined ? 0 : base[i];
    list.parent[i] = depth === 0 ? 0 : path[depth - 1];
    path[depth] = i;
  }
  return list;
}

function newList(count) {
  return {frame: new Int32Array(count), parent: new Int32Array(count),
          self: new Float64Array(count), base: new Float64Array(count)};
}

// Every stack the other way round, merged again from its new root.
function turn(list) {
  const frame = [0], parent = [0], self = [0], base = [0];
  const children = new Map();
  const factor = 2 ** 26;
  for (let i = 0; i < list.frame.length; ++i) {
    if (list.self[i] === 0 && list.base[i] === 0) continue;
    let node = 0;
    for (let at = i; at !== 0; at = list.parent[at]) {
      const key = node * factor + list.frame[at] + 1;
      let child = children.get(key);
      if (child === undefined) {
        child = frame.length;
        children.set(key, child);
        frame.push(list.frame[at]);
        parent.push(node);
        self.push(0);
        base.push(0);
      }
      node = child;
    }
    self[node] += list.self[i];
    base[node] += list.base[i];
  }
  return {frame: Int32Array.from(frame), parent: Int32Array.from(parent),
          self: Float64Array.from(self), base: Float64Array.from(base)};
}

// A list laid out: nodes in preorder with their place along the width.
//   order    'name' or 'weight'
//   measure  what the width shows of a difference: 'union', 'now' or 'base'
class FlameTree {
  constructor(data, {callers = false, order = 'name', measure = 'union'} = {}) {
    this.data = data;
    const list = data.listFor(callers);
    const count = list.frame.length;
    const total = Float64Array.from(list.self);
    const baseTotal = Float64Array.from(list.base);
    const width = new Float64Array(count);
    for (let i = count; i-- > 0;) {
      width[i] += !data.isDifference || measure === 'now' ? list.self[i]
          : measure === 'base' ? list.base[i] : Math.max(list.self[i], list.base[i]);
      if (i === 0) break;
      const parent = list.parent[i];
      total[parent] += total[i];
      baseTotal[parent] += baseTotal[i];
      width[parent] += width[i];
    }
    this.#arrange(list, {total, baseTotal, width}, order);
  }

  get size() { return this.id.length; }
  get total() { return this.nodeTotal[0]; }

  #arrange(list, sums, order) {
    const count = list.frame.length;
    const children = siblingsInOrder(this.data, list, sums.width, order);
    this.id = new Int32Array(count);      // In the list: stays the same in every order.
    this.indexOf = new Int32Array(count); // By id.
    this.frame = new Int32Array(count);
    this.parent = new Int32Array(count);
    this.depth = new Int32Array(count);
    this.end = new Int32Array(count);     // Behind the last node of the subtree.
    this.self = new Float64Array(count);
    this.baseSelf = new Float64Array(count);
    this.nodeTotal = new Float64Array(count);
    this.baseTotal = new Float64Array(count);
    this.width = new Float64Array(count);
    this.x = new Float64Array(count);
    const free = new Float64Array(count); // Where the next child of a node starts.
    const pending = [0];
    for (let next = 0; pending.length > 0; ++next) {
      const id = pending.pop();
      const parent = id === 0 ? 0 : this.indexOf[list.parent[id]];
      this.id[next] = id;
      this.indexOf[id] = next;
      this.frame[next] = list.frame[id];
      this.parent[next] = parent;
      this.depth[next] = id === 0 ? 0 : this.depth[parent] + 1;
      this.self[next] = list.self[id];
      this.baseSelf[next] = list.base[id];
      this.nodeTotal[next] = sums.total[id];
      this.baseTotal[next] = sums.baseTotal[id];
      this.width[next] = sums.width[id];
      if (id !== 0) {
        this.x[next] = free[parent];
        free[parent] += this.width[next];
      }
      free[next] = this.x[next];
      for (let c = children.start[id + 1]; c-- > children.start[id];) pending.push(children.node[c]);
    }
    for (let i = count; i-- > 0;) {
      this.end[i] = Math.max(this.end[i], i + 1);
      if (i > 0) this.end[this.parent[i]] = Math.max(this.end[this.parent[i]], this.end[i]);
    }
    this.#fillRows();
  }

  #fillRows() {
    let deepest = 0;
    for (let i = 0; i < this.size; ++i) deepest = Math.max(deepest, this.depth[i]);
    const counts = new Int32Array(deepest + 1);
    for (let i = 0; i < this.size; ++i) ++counts[this.depth[i]];
    this.rows = Array.from(counts, n => new Int32Array(n));
    counts.fill(0);
    for (let i = 0; i < this.size; ++i) {
      const depth = this.depth[i];
      this.rows[depth][counts[depth]++] = i;
    }
  }

  // The first position in `row` whose node ends behind `x`.
  firstBehind(row, x) {
    let low = 0, high = row.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.x[row[middle]] + this.width[row[middle]] <= x) low = middle + 1; else high = middle;
    }
    return low;
  }

  // The node of `depth` at `x`, or -1.
  nodeAt(depth, x) {
    const row = this.rows[depth];
    if (row === undefined) return -1;
    const at = this.firstBehind(row, x);
    if (at === row.length || this.x[row[at]] > x || this.frame[row[at]] < 0) return -1;
    return row[at];
  }

  isWithin(node, ancestor) { return node >= ancestor && node < this.end[ancestor]; }

  pathOf(node) {
    const path = [];
    for (let at = node; at !== 0; at = this.parent[at]) path.push(this.data.names[this.frame[at]]);
    return path.reverse();
  }

  // The node that the names lead to from the root, as far as they do.
  follow(path) {
    let node = 0;
    for (const name of path) {
      let found = -1;
      for (let c = node + 1; c < this.end[node]; c = this.end[c]) {
        if (this.frame[c] >= 0 && this.data.names[this.frame[c]] === name) { found = c; break; }
      }
      if (found < 0) break;
      node = found;
    }
    return node;
  }

  // The weight within `root` of stacks with a frame for which `matches` is set:
  // every stack counts once, however many of its frames match.
  matched(matches, root = 0) {
    for (let at = root; at !== 0; at = this.parent[at]) {
      if (this.frame[at] >= 0 && matches[this.frame[at]]) {
        return {now: this.nodeTotal[root], base: this.baseTotal[root]};
      }
    }
    const sum = {now: 0, base: 0};
    for (let i = root; i < this.end[root];) {
      if (this.frame[i] > 0 && matches[this.frame[i]]) {
        sum.now += this.nodeTotal[i];
        sum.base += this.baseTotal[i];
        i = this.end[i];
      } else {
        ++i;
      }
    }
    return sum;
  }
}

// Children of list node i: node[start[i]] up to node[start[i + 1]].
function siblingsInOrder(data, list, width, order) {
  const count = list.frame.length;
  const byName = Int32Array.from(data.names.keys())
      .sort((a, b) => (data.names[a] < data.names[b] ? -1 : data.names[a] > data.names[b] ? 1 : a - b));
  const rank = new Int32Array(data.names.length);
  byName.forEach((frame, at) => { rank[frame] = at; });
  const start = new Int32Array(count + 1);
  for (let i = 1; i < count; ++i) ++start[list.parent[i] + 1];
  for (let i = 1; i <= count; ++i) start[i] += start[i - 1];
  const node = new Int32Array(Math.max(count - 1, 0));
  const free = start.slice();
  for (let i = 1; i < count; ++i) node[free[list.parent[i]]++] = i;
  const rankOf = i => (list.frame[i] < 0 ? Infinity : rank[list.frame[i]]);
  const compare = order === 'weight'
      ? (a, b) => (rankOf(a) === Infinity) - (rankOf(b) === Infinity) || width[b] - width[a] ||
                  rankOf(a) - rankOf(b)
      : (a, b) => (rankOf(a) === rankOf(b) ? a - b : rankOf(a) - rankOf(b));
  for (let i = 0; i < count; ++i) {
    if (start[i + 1] - start[i] > 1) node.subarray(start[i], start[i + 1]).sort(compare);
  }
  return {start, node};
}

// Which frames a search finds: {matches} by frame, or {error} for a pattern that is none.
// Without capitals in it a search does not tell them apart.
function findFrames(data, query, isPattern) {
  const matches = new Uint8Array(data.names.length);
  if (query === '') return {matches};
  const flags = /[A-Z]/.test(query) ? '' : 'i';
  let test;
  if (isPattern) {
    try {
      const pattern = new RegExp(query, flags + 'u');
      test = name => pattern.test(name);
    } catch {
      return {error: 'invalid pattern'};
    }
  } else {
    const text = flags === '' ? query : query.toLowerCase();
    test = flags === '' ? name => name.includes(text) : name => name.toLowerCase().includes(text);
  }
  for (let i = 1; i < matches.length; ++i) matches[i] = test(data.names[i]) ? 1 : 0;
  return {matches};
}

Object.assign(sonde, {FlameData, FlameTree, findFrames, NO_FRAME});
})(globalThis.sondeFlame ??= {});
