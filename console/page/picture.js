// Picture: the flame graph of the page, with its search and its details line.

import {byId, element} from './dom.js';

const sonde = globalThis.sondeFlame;

export class Picture {
  constructor(state) {
    this.state = state;
    this.data = null;
    this.view = new sonde.FlameView(byId('graph'), {
      hover: node => this.tell(node),
      pick: node => this.tell(node),
      zoom: node => {
        // Deep paths are kept as far as an address can hold them.
        const path = this.tree.pathOf(node).join('\n');
        state.set({zoom: path.length < 4000 ? path : ''});
        this.tell(node);
        this.search();
      },
    });
    byId('callers').addEventListener('click', () => state.set({callers: state.callers === '' ? 'yes' : '', zoom: ''}));
    byId('colors').addEventListener('change', () => state.set({colors: byId('colors').value}));
    byId('search').addEventListener('input', () => state.set({q: byId('search').value}));
    byId('reset').addEventListener('click', () => this.reset());
  }

  // Draws `json`, an answer of /api/flame.
  show(json) {
    this.data = new sonde.FlameData(json);
    this.#lay();
    byId('empty').hidden = this.tree.total > 0 || (this.data.isDifference && this.tree.baseTotal[0] > 0);
  }

  #lay() {
    const {state} = this;
    const isFirst = this.tree === undefined;
    const back = this.view.back;
    this.tree = new sonde.FlameTree(this.data, {callers: state.callers !== ''});
    this.view.colors = this.data.isDifference ? 'change' : state.colors;
    const steps = isFirst ? [] : back.map(id => this.view.tree.pathOf(this.view.tree.indexOf[id]));
    this.view.setTree(this.tree);
    this.view.back = steps.map(path => this.tree.id[this.tree.follow(path)]);
    const wanted = state.zoom === '' ? [] : state.zoom.split('\n');
    const root = this.tree.follow(wanted);
    if (root !== this.view.root) {
      this.view.root = root;
      this.view.draw();
    }
    this.search();
    this.tell(-1);
  }

  // The state changed.
  apply(changed) {
    byId('callers').setAttribute('aria-pressed', String(this.state.callers !== ''));
    byId('colors').value = this.state.colors;
    if (byId('search').value !== this.state.q) byId('search').value = this.state.q;
    if (this.data === null) return;
    if (changed.includes('callers')) {
      this.view.tree = null;
      this.#lay();
    }
    if (changed.includes('colors')) {
      this.view.colors = this.data.isDifference ? 'change' : this.state.colors;
      this.view.draw();
    }
    if (changed.includes('zoom')) this.#followZoom();
    if (changed.includes('q')) this.search();
  }

  #followZoom() {
    const root = this.tree.follow(this.state.zoom === '' ? [] : this.state.zoom.split('\n'));
    if (root !== this.view.root) this.view.zoomTo(root, false);
  }

  reset() {
    this.view.back = [];
    this.state.set({zoom: '', q: ''});
    if (this.data === null) return;
    this.view.zoomTo(0, false);
    this.view.picked = -1;
    this.tell(-1);
  }

  search() {
    if (this.data === null) return;
    const {q} = this.state;
    const outcome = sonde.findFrames(this.data, q, true);
    // What is no pattern is searched as text: names are full of brackets.
    const matches = outcome.matches ?? sonde.findFrames(this.data, q, false).matches;
    this.view.matches = q === '' ? null : matches;
    this.view.draw();
    if (q === '') {
      byId('found').textContent = '';
      return;
    }
    const root = this.view.root;
    const part = at => sonde.formatPercent(this.tree.matched(matches, at).now, this.tree.nodeTotal[at]);
    byId('found').textContent = (outcome.error === undefined ? '' : 'as text: ') + `matched ${part(0)} of ${this.whole()}` +
        (root === 0 ? '' : `, ${part(root)} of zoom`);
  }

  // What percentages are of.
  whole() { return this.state.task + this.state.thread + this.state.label === '' ? 'window' : 'selection'; }

  tell(node) {
    const {tree, view} = this;
    const at = node >= 0 ? node : view.hovered >= 0 ? view.hovered : view.picked >= 0 ? view.picked : view.root;
    const frame = tree.frame[at];
    const {type} = this.data;
    const total = tree.nodeTotal[at];
    const facts = [
      `${sonde.formatWeight(total, type)}: ${sonde.formatPercent(total, tree.total)} of ${this.whole()}` +
          (view.root === 0 ? '' : `, ${sonde.formatPercent(total, tree.nodeTotal[view.root])} of zoom`),
      `self ${sonde.formatWeight(tree.self[at], type)} (${sonde.formatPercent(tree.self[at], tree.total)})`,
    ];
    if (this.data.isDifference) facts.push('before ' + sonde.formatWeight(tree.baseTotal[at], type),
                                           sonde.formatChange(tree.baseTotal[at], total, type));
    for (const fact of [this.data.places[frame], this.data.modules[frame]]) if (fact) facts.push(fact);
    const notes = [];
    if (view.narrow > 0) notes.push(`${sonde.formatCount(view.narrow)} frames under ½ px`);
    if (this.data.leftOut > 0) notes.push(`${sonde.formatCount(this.data.leftOut)} lightest left out`);
    byId('details').replaceChildren(element('b', {}, this.data.names[frame]),
                                    ...[...facts, ...notes].map(fact => element('span', {}, fact)));
  }
}
