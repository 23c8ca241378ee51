// FlameFile: the saved flame graph as a small application around FlameView.
(function (sonde) {
'use strict';

const HTML = 'http://www.w3.org/1999/xhtml';
const HELP = [
  ['/', 'search'], ['click, Enter', 'zoom'], ['Esc', 'one step back'], ['r', 'reset'],
  ['← ↑ → ↓', 'walk'], ['c', 'callers or callees'], ['o', 'order'], ['i', 'root up or down'],
  ['m', 'colours'], ['t', 'light or dark'], ['?', 'this list'],
];

// element('button.wide', {title: 'x'}, child, 'text')
function element(tag, attributes = {}, ...children) {
  const [name, ...classes] = tag.split('.');
  const made = document.createElementNS(HTML, name);
  if (classes.length > 0) made.className = classes.join(' ');
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function select(label, options) {
  const made = element('select', {'aria-label': label, title: label});
  for (const [value, text] of options) made.append(element('option', {value}, text));
  return made;
}

// A square in a colour of the palette.
function swatch(color) {
  const SVG = 'http://www.w3.org/2000/svg';
  const picture = document.createElementNS(SVG, 'svg');
  const square = document.createElementNS(SVG, 'rect');
  picture.setAttribute('class', 'swatch');
  square.setAttribute('class', color);
  for (const side of ['width', 'height']) square.setAttribute(side, '10');
  picture.append(square);
  return picture;
}

class FlameFile {
  constructor(host, json) {
    this.json = json;
    this.data = new sonde.FlameData(json);
    this.defaults = {callers: json.callers, order: json.order, layout: json.layout,
                     color: this.data.isDifference ? 'change' : json.colors, scheme: json.scheme,
                     measure: 'union', query: '', isPattern: true};
    this.state = {...this.defaults};
    this.#build(host);
    this.view = new sonde.FlameView(this.box, {
      hover: node => this.#tell(node),
      pick: node => this.#tell(node),
      zoom: node => { this.#tell(node); this.#search(); this.#remember(); },
    });
    this.view.on.paint = () => this.#tellNarrow();
    this.#restore();
    this.#listen();
  }

  #build(host) {
    const change = this.data.isDifference ? [['change', 'colour: change']] : [];
    this.search = element('input', {type: 'search', placeholder: 'Search  /', 'aria-label': 'Search',
                                    spellcheck: 'false', autocomplete: 'off'});
    this.pattern = element('button.toggle', {type: 'button', title: 'Regular expression'}, '.*');
    this.found = element('output.found');
    this.callers = element('button.toggle', {type: 'button', title: 'Callers below each function (c)'}, 'Callers');
    this.order = select('Order of siblings (o)', [['name', 'order: name'], ['weight', 'order: heaviest first']]);
    this.layout = select('Where the root is (i)', [['icicle', 'root on top'], ['flame', 'root at bottom']]);
    this.color = select('Colours (m)', [...change, ['module', 'colour: module'], ['kind', 'colour: kind']]);
    this.measure = select('Width of a frame', [['union', 'width: larger of both'], ['now', 'width: new'],
                                              ['base', 'width: base']]);
    this.scheme = select('Light or dark (t)', [['auto', 'auto'], ['light', 'light'], ['dark', 'dark']]);
    this.reset = element('button', {type: 'button', title: 'Show everything (r)'}, 'Reset');
    this.help = element('button', {type: 'button', title: 'Keys (?)', 'aria-expanded': 'false'}, '?');
    this.keys = element('dl.keys', {hidden: ''});
    for (const [key, text] of HELP) this.keys.append(element('dt', {}, key), element('dd', {}, text));
    this.hot = element('p.hot');
    this.box = element('div.graph', {tabindex: '0', role: 'application',
                                     'aria-label': 'Flame graph. Arrow keys walk, Enter zooms, Escape goes back.'});
    this.details = element('p.details', {role: 'status'});
    this.narrow = element('span.narrow-note');
    const subtitle = element('p.subtitle', {}, this.json.subtitle.join(' · '));
    const controls = [this.callers, this.order, this.layout, this.color,
                      ...(this.data.isDifference ? [this.measure] : []), this.scheme, this.reset, this.help];
    this.app = element('div.sonde.app', {},
        element('header', {},
            element('div.heading', {}, element('h1', {}, this.json.title), subtitle),
            element('div.finder', {}, this.search, this.pattern, this.found),
            element('div.controls', {}, ...controls)),
        this.hot, this.keys, this.box, element('footer', {}, this.details, this.narrow));
    host.append(this.app);
  }

  #listen() {
    const set = (key, value) => () => { this.state[key] = value(); this.#apply(); this.#remember(); };
    this.search.addEventListener('input', set('query', () => this.search.value));
    this.pattern.addEventListener('click', set('isPattern', () => !this.state.isPattern));
    this.callers.addEventListener('click', set('callers', () => !this.state.callers));
    for (const key of ['order', 'layout', 'color', 'measure', 'scheme']) {
      this[key].addEventListener('change', set(key, () => this[key].value));
    }
    this.reset.addEventListener('click', () => this.#reset());
    this.help.addEventListener('click', () => this.#toggleHelp());
    document.addEventListener('keydown', event => this.#key(event));
    addEventListener('hashchange', () => this.#restore());
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.#recolor());
  }

  #key(event) {
    const inField = event.target === this.search;
    if ((event.key === 'f' && (event.ctrlKey || event.metaKey)) || (event.key === '/' && !inField)) {
      event.preventDefault();
      this.search.focus();
      this.search.select();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (inField) {
      if (event.key === 'Escape') this.#setQuery('');
      if (event.key === 'Escape' || event.key === 'Enter') this.box.focus();
      return;
    }
    if (event.target.tagName?.toLowerCase() === 'select') return;
    const cycle = (key, values) => {
      this.state[key] = values[(values.indexOf(this.state[key]) + 1) % values.length];
      this.#apply();
      this.#remember();
    };
    switch (event.key) {
      case 'Enter':
        if (event.target.closest?.('button')) return;
        if (this.view.picked >= 0) this.view.zoomTo(this.view.picked);
        break;
      case 'Escape': if (this.keys.hidden) this.view.zoomBack(); else this.#toggleHelp(); break;
      case 'r': case 'Home': this.#reset(); break;
      case 'c': cycle('callers', [false, true]); break;
      case 'o': cycle('order', ['name', 'weight']); break;
      case 'i': cycle('layout', ['icicle', 'flame']); break;
      case 'm': cycle('color', [...this.color.options].map(o => o.value)); break;
      case 't': cycle('scheme', ['auto', 'light', 'dark']); break;
      case '?': this.#toggleHelp(); break;
      default:
        if (!this.view.walk(event.key)) return;
        this.box.focus({preventScroll: true});  // From a button, too: Enter is the frame's now.
    }
    event.preventDefault();
  }

  #toggleHelp() {
    this.keys.hidden = !this.keys.hidden;
    this.help.setAttribute('aria-expanded', String(!this.keys.hidden));
  }

  #setQuery(query) {
    this.search.value = this.state.query = query;
    this.#search();
    this.#remember();
  }

  // Everything is seen again: no zoom, no search. Order, direction and colours stay.
  #reset() {
    this.view.back = [];
    this.view.zoomTo(0, false);
    this.view.picked = -1;
    this.#setQuery('');
    this.#tell(-1);
  }

  // Makes the picture agree with the state.
  #apply() {
    const state = this.state;
    const shape = [state.callers, state.order, state.measure].join();
    if (shape !== this.shape) {
      const turned = this.tree !== undefined && state.callers !== this.treeCallers;
      this.tree = new sonde.FlameTree(this.data, {callers: state.callers, order: state.order,
                                                  measure: state.measure});
      this.shape = shape;
      this.treeCallers = state.callers;
      if (turned) this.view.tree = null;
      this.view.setTree(this.tree);
    }
    if (this.view.layout !== state.layout || this.app.dataset.layout !== state.layout) {
      this.app.dataset.layout = state.layout;
      this.view.setLayout(state.layout);
    }
    this.view.colors = state.color;
    if (this.hotColors !== state.color) this.#tellHottest();
    this.callers.setAttribute('aria-pressed', String(state.callers));
    this.pattern.setAttribute('aria-pressed', String(state.isPattern));
    for (const key of ['order', 'layout', 'color', 'measure', 'scheme']) this[key].value = state[key];
    if (this.search.value !== state.query) this.search.value = state.query;
    this.#recolor();
    this.#search();
    this.#tell(this.view.picked);
  }

  // The style sheet has one set of dark rules; it is made to hold always, never, or as asked.
  #recolor() {
    const condition = {auto: '(prefers-color-scheme: dark)', light: 'not all', dark: 'all'}[this.state.scheme];
    for (const sheet of document.styleSheets) {
      for (const rule of sheet.cssRules) {
        if (rule instanceof CSSMediaRule && (rule.isScheme || rule.media.mediaText.includes('prefers-color-scheme'))) {
          rule.isScheme = true;
          rule.media.mediaText = condition;
        }
      }
    }
    document.documentElement.style.colorScheme = {auto: 'light dark'}[this.state.scheme] ?? this.state.scheme;
    this.view.readStyle();
    this.view.draw();
  }

  #search() {
    const {query, isPattern} = this.state;
    const outcome = sonde.findFrames(this.data, query, isPattern);
    this.search.setAttribute('aria-invalid', String(outcome.error !== undefined));
    this.view.matches = query === '' || outcome.error !== undefined ? null : outcome.matches;
    this.view.draw();
    if (outcome.error !== undefined) {
      this.found.textContent = outcome.error + ': switch .* off to search for the text';
    } else if (query === '') {
      this.found.textContent = '';
    } else {
      const part = (root, key, whole) =>
          sonde.formatPercent(this.tree.matched(outcome.matches, root)[key], whole);
      const root = this.view.root;
      const key = this.data.isDifference && this.state.measure === 'base' ? 'base' : 'now';
      const total = key === 'base' ? this.tree.baseTotal : this.tree.nodeTotal;
      this.found.textContent = `matched ${part(0, key, total[0])} of total` +
          (root === 0 ? '' : `, ${part(root, key, total[root])} of view`);
    }
  }

  // The details line: `node`, or what fills the width when there is none.
  #tell(node) {
    const tree = this.tree;
    const at = node >= 0 ? node : this.view.hovered >= 0 ? this.view.hovered
        : this.view.picked >= 0 ? this.view.picked : this.view.root;
    const frame = tree.frame[at];
    const type = this.data.type;
    const [total, view] = [tree.nodeTotal[at], tree.nodeTotal[this.view.root]];
    const facts = [
      `${sonde.formatWeight(total, type)}: ${sonde.formatPercent(total, tree.total)} of total` +
          (this.view.root === 0 ? '' : `, ${sonde.formatPercent(total, view)} of view`),
      `self ${sonde.formatWeight(tree.self[at], type)} (${sonde.formatPercent(tree.self[at], tree.total)})`,
    ];
    if (this.data.isDifference) {
      facts.push(`base ${sonde.formatWeight(tree.baseTotal[at], type)}`,
                 sonde.formatChange(tree.baseTotal[at], total, type));
    }
    if (this.data.places[frame]) facts.push(this.data.places[frame]);
    if (this.data.modules[frame]) facts.push(this.data.modules[frame]);
    const kind = {i: 'inlined', k: 'kernel', j: 'JIT'}[this.data.kinds[frame]];
    if (kind) facts.push(kind);
    this.details.replaceChildren(element('b', {}, this.data.names[frame]),
                                 ...facts.map(fact => element('span', {}, fact)));
  }

  #tellNarrow() {
    const notes = [];
    if (this.view.narrow > 0) notes.push(`${sonde.formatCount(this.view.narrow)} frames in sight under ½ px`);
    if (this.data.leftOut > 0) notes.push(`${sonde.formatCount(this.data.leftOut)} lightest frames not in this file`);
    this.narrow.textContent = notes.join(', ');
  }

  #tellHottest() {
    const whole = this.data.list.self.reduce((sum, self) => sum + self, 0);
    const label = this.data.isDifference ? 'Changed most' : 'Hottest';
    this.hotColors = this.state.color;
    const spots = this.data.hottest(6);
    const none = spots.length === 0 ? ': no function has 0.1% of the total' : '';
    this.hot.replaceChildren(element('span', {}, label + none));
    for (const spot of spots) {
      const text = this.data.isDifference
          ? sonde.formatChange(spot.base, spot.self, this.data.type)
          : sonde.formatPercent(spot.self, whole);
      const color = this.data.isDifference ? 'v' + sonde.colorOfChange(spot.base, spot.self)
          : this.data.colorOf(spot.frame, this.state.color);
      const chip = element('button.chip', {type: 'button', title: spot.name},
          swatch(color), element('code', {}, sonde.shortName(spot.name, 30)), ' ' + text);
      chip.addEventListener('click', () => {
        this.state.isPattern = false;
        this.state.query = this.state.query === spot.name ? '' : spot.name;
        this.#apply();
        this.#remember();
      });
      this.hot.append(chip);
    }
  }

  // The address holds what differs from how the file opens.
  #remember() {
    const fields = new URLSearchParams();
    for (const key of Object.keys(this.defaults)) {
      if (this.state[key] !== this.defaults[key]) fields.set(key, String(this.state[key]));
    }
    if (this.view.root !== 0) fields.set('zoom', String(this.tree.id[this.view.root]));
    const hash = fields.size > 0 ? '#' + fields : '';
    if (hash === location.hash) return;
    try {
      history.replaceState(null, '', hash === '' ? location.pathname + location.search : hash);
    } catch {
      location.hash = hash;  // Some browsers do not let a file change its own history.
    }
  }

  #restore() {
    const fields = new URLSearchParams(location.hash.slice(1));
    for (const [key, normal] of Object.entries(this.defaults)) {
      const text = fields.get(key);
      this.state[key] = text === null ? normal : typeof normal === 'boolean' ? text === 'true' : text;
    }
    for (const key of ['order', 'layout', 'color', 'measure', 'scheme']) {
      const known = [...this[key].options].some(option => option.value === this.state[key]);
      if (!known) this.state[key] = this.defaults[key];
    }
    this.#apply();
    const id = Number(fields.get('zoom') ?? 0);
    const node = Number.isInteger(id) && id >= 0 && id < this.tree.size ? this.tree.indexOf[id] : 0;
    if (node !== this.view.root) this.view.zoomTo(node, false);
  }
}

// Takes the place of the still picture: of the whole document when that is the
// picture itself, of the element when it stands within a page.
function open() {
  const source = document.querySelector('script.sonde-data');
  const json = JSON.parse(source.textContent);
  const picture = document.querySelector('svg.sonde');
  let host;
  if (document.documentElement === picture) {
    const style = picture.querySelector('style').textContent;
    host = element('body');
    const head = element('head', {}, element('title', {}, json.title), element('style', {}, style));
    document.replaceChild(element('html', {lang: 'en'}, head, host), picture);
  } else {
    host = element('div.sonde-host');
    const style = picture.querySelector('style');
    if (style !== null) document.head.append(style);
    picture.replaceWith(host);
  }
  return new FlameFile(host, json);
}

sonde.FlameFile = FlameFile;
if (document.querySelector('script.sonde-data') !== null) sonde.file = open();
})(globalThis.sondeFlame ??= {});
