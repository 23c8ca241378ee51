// Save: writes what is shown into a file.

import {snapshotPath, withToken} from './api.js';
import {element} from './dom.js';

const UNNAMED = '[unknown]';
const LEFT_OUT = '[left out]';
const LIVE_ONLY = 'The process draws its live window alone. sonde flame draws folded stacks and snapshots, sonde diff compares them.';

// What cannot stand inside a name is replaced, as in all folded stacks of sonde.
const textOf = name => name.replaceAll(';', ':').replace(/[\t\n\r\v\f]/g, ' ').trim() || UNNAMED;

// Folded stacks: of a difference what changed, with its sign.
export function foldedOf(data) {
  const list = data.listFor(false);
  const texts = data.names.map(textOf);
  const paths = [''];
  const sums = new Map();
  for (let i = 0; i < list.frame.length; ++i) {
    const text = list.frame[i] < 0 ? LEFT_OUT : texts[list.frame[i]];
    if (i > 0) paths[i] = list.parent[i] === 0 ? text : paths[list.parent[i]] + ';' + text;
    const weight = list.self[i] - list.base[i];
    const path = paths[i] || UNNAMED;  // The root's own weight is that of samples without frames.
    if (weight !== 0) sums.set(path, (sums.get(path) ?? 0) + weight);
  }
  return [...sums].filter(([, weight]) => weight !== 0).map(([path, weight]) => `${path} ${Math.round(weight)}\n`).sort().join('');
}

export class Save {
  constructor(box, state, picture) {
    this.box = box;
    this.state = state;
    this.picture = picture;
    box.addEventListener('change', () => {
      const kind = box.value;
      box.value = '';
      if (kind !== '') this.#write(kind);
    });
  }

  // isHeld: the picture does not follow the process. What the process would answer is then not what is shown.
  show(isHeld) {
    const {snapshot, against} = this.state;
    const isLive = !isHeld && snapshot === '';
    const isFile = snapshot !== '' && against === '';
    this.#offer('pprof', isLive || isFile, isFile ? 'pprof (the file of the snapshot)' : 'pprof (the next 10 s of the process)',
                'Profiles are taken of the time to come, or are those of one snapshot.');
    this.#offer('svg', isLive, 'flame graph, SVG' + (isLive ? '' : ' (of the live window only)'), LIVE_ONLY);
    this.#offer('html', isLive, 'flame graph, HTML' + (isLive ? '' : ' (of the live window only)'), LIVE_ONLY);
  }

  #offer(kind, isThere, text, why) {
    const option = this.box.querySelector(`[value=${kind}]`);
    option.disabled = !isThere;
    option.textContent = text;
    option.title = isThere ? '' : why;
  }

  #write(kind) {
    const {snapshot, against} = this.state;
    const name = snapshot === '' ? 'flame' : against === '' ? snapshot.replace(/\.pb\.gz$/, '') : 'difference';
    if (kind === 'folded') {
      if (this.picture.data !== null) this.#writeFolded(name);
    } else if (kind === 'pprof') {
      this.#fetch(withToken(snapshot === '' ? '/debug/pprof/profile?seconds=10' : snapshotPath(snapshot)), name + '.pb.gz');
    } else {
      this.#fetch(withToken(`/api/flame?${this.state.query()}&format=${kind}`), `${name}.${kind}`);
    }
  }

  // From the tree that is drawn: the process has gone on since, and knows nothing of what was compared.
  #writeFolded(name) {
    const url = URL.createObjectURL(new Blob([foldedOf(this.picture.data)], {type: 'text/plain'}));
    this.#fetch(url, name + '.folded');
    setTimeout(() => URL.revokeObjectURL(url), 60_000);  // The browser reads it after the click.
  }

  #fetch(href, download) { element('a', {href, download}).click(); }
}
