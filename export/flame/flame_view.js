// FlameView: a flame graph on a canvas that draws only what is in sight.
(function (sonde) {
'use strict';

const ROW = 18;         // Pixels from one row to the next.
const FONT_SIZE = 12;
const PADDING = 4;      // Left of a name.
const NARROWEST = 0.5;  // Pixels: narrower neighbours are drawn as one grey mark.

// Calls back: hover(node), pick(node), zoom(node); node is an index of the tree, or -1.
class FlameView {
  constructor(box, {hover = () => {}, pick = () => {}, zoom = () => {}} = {}) {
    this.box = box;
    this.on = {hover, pick, zoom};
    this.tree = null;
    this.root = 0;        // What fills the width.
    this.picked = -1;
    this.hovered = -1;
    this.layout = 'icicle';
    this.colors = 'module';
    this.matches = null;  // By frame, or null when nothing is searched.
    this.narrow = 0;      // Frames in the last drawing that were too narrow.
    this.back = [];       // Where Escape leads.
    this.names = new Map();
    this.canvas = document.createElementNS('http://www.w3.org/1999/xhtml', 'canvas');
    this.spacer = document.createElementNS('http://www.w3.org/1999/xhtml', 'div');
    this.canvas.className = 'flame-canvas';
    this.spacer.className = 'flame-spacer';
    // The canvas stays in sight while the spacer, as high as the graph, is scrolled.
    this.spacer.append(this.canvas);
    box.append(this.spacer);
    this.readStyle();
    this.#listen();
  }

  #listen() {
    new ResizeObserver(() => this.draw()).observe(this.box);
    this.box.addEventListener('scroll', () => this.draw());
    this.canvas.addEventListener('mousemove', event => this.#hover(this.#nodeUnder(event)));
    this.canvas.addEventListener('mouseleave', () => this.#hover(-1));
    this.canvas.addEventListener('click', event => {
      const node = this.#nodeUnder(event);
      this.box.focus({preventScroll: true});
      if (node >= 0) this.zoomTo(node);
    });
    const density = matchMedia(`(resolution: ${devicePixelRatio}dppx)`);
    density.addEventListener?.('change', () => this.draw());
  }

  // Colours live in the style sheet alone; call again when the scheme changed.
  readStyle() {
    const probe = document.createElementNS('http://www.w3.org/1999/xhtml', 'span');
    this.box.append(probe);
    this.palette = new Proxy({}, {get: (known, name) => {
      if (known[name] === undefined) {
        this.box.append(probe);
        probe.setAttribute('class', name);
        known[name] = getComputedStyle(probe).fill;
        probe.remove();
      }
      return known[name];
    }});
    probe.remove();
    const style = getComputedStyle(this.canvas);
    this.font = `${FONT_SIZE}px ${style.fontFamily}`;
    this.names.clear();
  }

  // Another tree; the zoom stays on the same path as far as it exists.
  setTree(tree) {
    const path = this.tree === null ? [] : this.tree.pathOf(this.root);
    const picked = this.tree === null || this.picked < 0 ? null : this.tree.pathOf(this.picked);
    this.tree = tree;
    this.names.clear();
    this.root = tree.follow(path);
    this.picked = picked === null ? -1 : tree.follow(picked);
    this.hovered = -1;
    this.back = [];
    this.#resize();
  }

  setLayout(layout) {
    this.layout = layout;
    this.#resize();
    if (layout === 'flame') this.box.scrollTop = this.box.scrollHeight;
  }

  #resize() {
    this.height = this.tree.rows.length * ROW;
    this.spacer.style.height = this.height + 'px';
    this.draw();
  }

  zoomTo(node, remember = true) {
    if (remember && node !== this.root) this.back.push(this.tree.id[this.root]);
    this.root = node;
    this.picked = node;
    this.#show(node);
    this.draw();
    this.on.zoom(node);
  }

  // One step back; to the whole when there is none.
  zoomBack() {
    const id = this.back.pop();
    this.zoomTo(id === undefined ? 0 : this.tree.indexOf[id], false);
  }

  pick(node) {
    this.picked = node;
    this.#show(node);
    this.draw();
    this.on.pick(node);
  }

  // Arrow keys: to the caller, the heaviest callee, the neighbours. Tells whether it was one.
  walk(key) {
    const tree = this.tree;
    const at = this.picked < 0 ? this.root : this.picked;
    const down = this.layout === 'icicle' ? 'ArrowDown' : 'ArrowUp';
    const up = this.layout === 'icicle' ? 'ArrowUp' : 'ArrowDown';
    let next = at;
    if (key === down) {
      let widest = -1;
      for (let c = at + 1; c < tree.end[at]; c = tree.end[c]) {
        if (tree.frame[c] >= 0 && (widest < 0 || tree.width[c] > tree.width[widest])) widest = c;
      }
      if (widest >= 0) next = widest;
    } else if (key === up) {
      next = tree.parent[at];
    } else if (key === 'ArrowLeft' || key === 'ArrowRight') {
      const row = tree.rows[tree.depth[at]];
      const step = key === 'ArrowRight' ? 1 : -1;
      const least = tree.width[this.root] * NARROWEST / this.canvas.clientWidth;
      let place = row.indexOf(at) + step;
      while (place >= 0 && place < row.length && tree.isWithin(row[place], this.root)) {
        if (tree.frame[row[place]] >= 0 && tree.width[row[place]] >= least) {
          next = row[place];
          break;
        }
        place += step;
      }
    } else {
      return false;
    }
    if (next !== at && !tree.isWithin(next, this.root)) this.zoomTo(next);
    this.pick(next);
    return true;
  }

  #top(depth) {
    return this.layout === 'icicle' ? depth * ROW : this.height - (depth + 1) * ROW;
  }

  // Scrolls so that the node and some rows behind it are in sight.
  #show(node) {
    const top = this.#top(this.tree.depth[node]);
    const room = this.box.clientHeight;
    if (top < this.box.scrollTop + ROW) {
      this.box.scrollTop = Math.max(0, top - room / 3);
    } else if (top + 2 * ROW > this.box.scrollTop + room) {
      this.box.scrollTop = top - room * 2 / 3;
    }
  }

  #nodeUnder(event) {
    if (this.tree === null) return -1;
    const y = event.offsetY + this.box.scrollTop;
    const row = this.layout === 'icicle' ? Math.floor(y / ROW) : Math.floor((this.height - 1 - y) / ROW);
    const scale = this.tree.width[this.root] / this.canvas.clientWidth;
    if (row < 0 || row >= this.tree.rows.length) return -1;
    return this.tree.nodeAt(row, this.tree.x[this.root] + (event.offsetX + 0.25) * scale);
  }

  #hover(node) {
    if (node === this.hovered) return;
    this.hovered = node;
    this.canvas.style.cursor = node >= 0 ? 'pointer' : 'default';
    this.draw();
    this.on.hover(node);
  }

  // Draws with the next picture of the screen.
  draw() {
    if (this.waiting || this.tree === null) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.#paint();
    });
  }

  #paint() {
    const width = this.box.clientWidth;
    const height = this.box.clientHeight;
    const density = devicePixelRatio;
    if (this.canvas.width !== Math.round(width * density) ||
        this.canvas.height !== Math.round(height * density)) {
      this.canvas.width = Math.round(width * density);
      this.canvas.height = Math.round(height * density);
      this.canvas.style.width = width + 'px';
      this.canvas.style.height = height + 'px';
    }
    const ink = this.canvas.getContext('2d');
    ink.setTransform(density, 0, 0, density, 0, 0);
    ink.clearRect(0, 0, width, height);
    ink.font = this.font;
    ink.textBaseline = 'middle';
    this.letter = ink.measureText('0'.repeat(50)).width / 50;
    this.narrow = 0;
    const scroll = this.box.scrollTop;
    for (let depth = 0; depth < this.tree.rows.length; ++depth) {
      const top = this.#top(depth) - scroll;
      if (top + ROW > 0 && top < height) this.#paintRow(ink, depth, top, width);
    }
    this.#outline(ink, this.picked, scroll, width, this.palette['line-picked'], 1.5);
    this.#outline(ink, this.hovered, scroll, width, this.palette['line-hovered'], 1);
    this.on.paint?.();
  }

  #paintRow(ink, depth, top, width) {
    const tree = this.tree;
    const row = tree.rows[depth];
    const from = tree.x[this.root];
    const to = from + tree.width[this.root];
    const scale = tree.width[this.root] > 0 ? width / tree.width[this.root] : 0;
    let narrowFrom = -1, narrowTo = -1;
    const flush = () => {
      if (narrowFrom < 0) return;
      ink.fillStyle = this.palette['narrow'];
      ink.fillRect(narrowFrom, top, Math.max(narrowTo - narrowFrom, NARROWEST), ROW - 1);
      narrowFrom = -1;
    };
    for (let at = tree.firstBehind(row, from); at < row.length && tree.x[row[at]] < to; ++at) {
      const node = row[at];
      if (tree.frame[node] < 0 || tree.width[node] === 0) continue;
      const left = Math.max(0, (tree.x[node] - from) * scale);
      const right = Math.min(width, (tree.x[node] + tree.width[node] - from) * scale);
      if (right - left < NARROWEST) {
        ++this.narrow;
        if (narrowFrom >= 0 && left - narrowTo > NARROWEST) flush();
        if (narrowFrom < 0) narrowFrom = left;
        narrowTo = right;
        continue;
      }
      flush();
      this.#paintFrame(ink, node, left, right, top, depth < tree.depth[this.root]);
    }
    flush();
  }

  #paintFrame(ink, node, left, right, top, isAbove) {
    const frame = this.tree.frame[node];
    const isFound = this.matches !== null && this.matches[frame] === 1 && frame > 0;
    ink.globalAlpha = isAbove ? 0.55 : this.matches !== null && !isFound ? 0.5 : 1;
    ink.fillStyle = this.palette[isFound ? 'found' : this.classOf(node)];
    const gap = right - left > 2 ? 0.75 : 0;
    ink.fillRect(left, top, right - left - gap, ROW - 1);
    const room = Math.floor((right - left - PADDING - 2) / this.letter);
    if (room >= 3) {
      ink.globalAlpha = isAbove ? 0.75 : 1;
      ink.fillStyle = this.palette[isFound ? 'found-ink' : 'ink'];
      ink.fillText(this.#nameFor(frame, room), left + PADDING, top + ROW / 2);
    }
    ink.globalAlpha = 1;
  }

  #nameFor(frame, room) {
    const name = this.tree.data.names[frame];
    if (name.length <= room) return name;
    const key = frame * 4096 + Math.min(room, 4095);
    let short = this.names.get(key);
    if (short === undefined) {
      if (this.names.size > 50_000) this.names.clear();
      this.names.set(key, short = sonde.shortName(name, room));
    }
    return short;
  }

  // The class of flame.css that colours a node.
  classOf(node) {
    const tree = this.tree;
    const data = tree.data;
    const frame = tree.frame[node];
    if (frame === 0) return 'root';
    if (this.colors === 'change') return 'v' + colorOfChange(tree.baseTotal[node], tree.nodeTotal[node]);
    return data.colorOf(frame, this.colors);
  }

  #outline(ink, node, scroll, width, color, thickness) {
    const tree = this.tree;
    if (node <= 0 || node >= tree.size || tree.width[this.root] === 0) return;
    const scale = width / tree.width[this.root];
    const left = Math.max(0, (tree.x[node] - tree.x[this.root]) * scale);
    const right = Math.min(width, (tree.x[node] + tree.width[node] - tree.x[this.root]) * scale);
    if (right <= left) return;
    ink.strokeStyle = color;
    ink.lineWidth = thickness;
    ink.strokeRect(left + thickness / 2, this.#top(tree.depth[node]) - scroll + thickness / 2,
                   Math.max(right - left - thickness - 0.5, 0.5), ROW - 1 - thickness);
  }
}

// 0 vanished, 6 the same, 12 new: relative to the larger of both.
function colorOfChange(base, now) {
  const larger = Math.max(base, now);
  if (larger <= 0) return 6;
  const change = (now - base) / larger;
  return 6 + Math.sign(change) * Math.round(Math.sqrt(Math.abs(change)) * 6);
}

Object.assign(sonde, {FlameView, colorOfChange});
})(globalThis.sondeFlame ??= {});
