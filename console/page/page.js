// The live page: joins what the process says with what is selected.

import {api, Events} from './api.js';
import {byId, drawLine, duration, element} from './dom.js';
import {Functions} from './functions.js';
import {Picture} from './picture.js';
import {Snapshots} from './snapshots.js';
import {State} from './state.js';
import {describeTask, Tasks} from './tasks.js';

const UPDATE_MS = 500;

class Page {
  constructor() {
    this.state = new State();
    this.status = null;
    this.frozen = false;
    this.isLost = false;
    this.picture = new Picture(this.state);
    const list = byId('list');
    this.functions = new Functions(list, this.state);
    this.tasks = new Tasks(list, this.state);
    this.snapshots = new Snapshots(list, this.state, count => { byId('compare').disabled = count !== 2; });
    this.#listen();
    this.#apply(['tab', 'window', 'task', 'snapshot']);
    this.events = new Events({
      status: status => this.#tellStatus(status),
      tasks: change => { this.tasks.patch(change); if (!this.frozen) this.#showList('tasks'); },
      snapshots: () => this.#readSnapshots(),
      lost: () => this.#tellLost(),
    });
    this.#readTasks();
    this.#readSnapshots();
    this.#update();
  }

  #listen() {
    const {state} = this;
    state.onChange(changed => this.#apply(changed));
    for (const button of byId('windows').children) {
      button.addEventListener('click', () => state.set({window: button.dataset.window, snapshot: '', against: ''}));
    }
    byId('base').addEventListener('change', () => state.set({base: byId('base').value, snapshot: '', against: ''}));
    byId('freeze').addEventListener('click', () => this.#freeze());
    byId('save').addEventListener('change', () => this.#save());
    byId('filter').addEventListener('input', () => state.set({filter: byId('filter').value}));
    for (const tab of document.querySelectorAll('[role=tab]')) {
      tab.addEventListener('click', () => state.set({tab: tab.dataset.tab, sort: '', filter: ''}));
    }
    const unfold = (button, box) => () => {
      box.hidden = !box.hidden;
      button.setAttribute('aria-expanded', String(!box.hidden));
    };
    byId('health').addEventListener('click', unfold(byId('health'), byId('account')));
    this.toggleKeys = unfold(byId('help'), byId('keys'));
    byId('help').addEventListener('click', this.toggleKeys);
    for (const [key, text] of JSON.parse(byId('keys-list').textContent)) {
      byId('keys').append(element('dt', {}, key), element('dd', {}, text));
    }
    byId('snapshot').addEventListener('click', async () => {
      try {
        await api.writeSnapshot();
        await this.#readSnapshots();
      } catch (error) {
        this.#notice(error.message);
      }
    });
    byId('compare').addEventListener('click', () => {
      const [against, snapshot] = this.snapshots.pair();
      state.set({snapshot, against, zoom: ''});
    });
    document.addEventListener('keydown', event => this.#key(event));
    document.addEventListener('visibilitychange', () => { if (!document.hidden) this.#update(); });
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
      this.picture.view.readStyle();
      this.picture.view.draw();
    });
  }

  #key(event) {
    const field = event.target.closest?.('input, select');
    if (event.key === 'Escape' && field) {
      if (field === byId('search')) this.state.set({q: ''});
      if (field === byId('filter')) this.state.set({filter: ''});
      byId('graph').focus();
      return;
    }
    if (field && event.key === 'Enter') byId('graph').focus();
    if (field || event.ctrlKey || event.metaKey || event.altKey) return;
    const tabs = ['functions', 'tasks', 'snapshots'];
    const {view} = this.picture;
    switch (event.key) {
      case '/': byId('search').focus(); byId('search').select(); break;
      case 'f': this.#freeze(); break;
      case 'r': this.picture.reset(); break;
      case 'c': byId('callers').click(); break;
      case 'm': this.state.set({colors: this.state.colors === 'module' ? 'kind' : 'module'}); break;
      case '?': this.toggleKeys(); break;
      case '1': case '2': case '3': this.state.set({tab: tabs[event.key - 1], sort: '', filter: ''}); break;
      case 'Escape': if (view.tree !== null) view.zoomBack(); break;
      case 'Enter':
        if (event.target !== byId('graph') || view.picked < 0) return;
        view.zoomTo(view.picked);
        break;
      default: if (event.target !== byId('graph') || view.tree === null || !view.walk(event.key)) return;
    }
    event.preventDefault();
  }

  #freeze() {
    this.frozen = !this.frozen;
    byId('freeze').setAttribute('aria-pressed', String(this.frozen));
    if (!this.frozen) this.#update();
  }

  #save() {
    const kind = byId('save').value;
    byId('save').value = '';
    if (kind === '') return;
    const link = element('a', {href: kind === 'pprof' ? '/debug/pprof/profile?seconds=10'
        : `/api/flame?${this.state.query()}&format=${kind}`, download: 'flame.' + (kind === 'pprof' ? 'pb.gz' : kind)});
    link.click();
  }

  // The state changed: everything that shows it follows.
  #apply(changed) {
    const {state} = this;
    for (const button of byId('windows').children) {
      button.setAttribute('aria-pressed', String(state.snapshot === '' && state.window === button.dataset.window));
    }
    byId('base').value = state.base;
    for (const tab of document.querySelectorAll('[role=tab]')) {
      tab.setAttribute('aria-selected', String(tab.dataset.tab === state.tab));
    }
    if (byId('filter').value !== state.filter) byId('filter').value = state.filter;
    byId('snapshot').hidden = byId('compare').hidden = state.tab !== 'snapshots';
    this.#tellChips();
    this.picture.apply(changed);
    if (changed.some(key => ['window', 'task', 'thread', 'label', 'base', 'snapshot', 'against'].includes(key))) {
      this.#update(true);
    }
    if (changed.includes('task')) this.#readTask();
    this.#showList(state.tab);
  }

  #tellChips() {
    const {state} = this;
    const chips = [['task', 'task ' + state.task + ' ' + this.tasks.nameOf(state.task)], ['thread', 'thread ' + state.thread],
                   ['label', state.label], ['snapshot', state.snapshot + (state.against === '' ? '' : ' since ' + state.against)]];
    byId('chips').replaceChildren(...chips.filter(([key]) => state[key] !== '').map(([key, text]) => {
      const chip = element('button.chip', {type: 'button', title: 'Remove: ' + text}, element('code', {}, text), '×');
      chip.addEventListener('click', () => state.set(key === 'snapshot' ? {snapshot: '', against: ''} : {[key]: ''}));
      return chip;
    }));
  }

  // Fetches the picture; the next fetch begins when this one was drawn, at most twice a second.
  async #update(now = false) {
    if (now && this.updating) { this.again = true; return; }
    if (this.updating || document.hidden || (this.frozen && !now)) return;
    this.updating = true;
    clearTimeout(this.timer);
    const {state} = this;
    const asked = `${state.query()} ${state.snapshot} ${state.against}`;
    const isLive = state.snapshot === '';
    try {
      const json = isLive ? await api.flame(state.query()) : await api.snapshotFlame(state.snapshot, state.against);
      // While it was under way another selection, or a freeze, may have come.
      if (asked === `${state.query()} ${state.snapshot} ${state.against}` && (!this.frozen || now)) {
        this.picture.show(json);
        this.functions.take(this.picture.data, isLive && asked === this.lastAsked);
        this.lastAsked = asked;
        this.#tellEmpty();
        this.#showList('functions');
        this.#notice('');
      }
    } catch (error) {
      if (!(error instanceof TypeError)) this.#notice(error.message);
    }
    this.updating = false;
    if (this.again) {
      this.again = false;
      this.#update(true);
    } else if (isLive) {
      this.timer = setTimeout(() => this.#update(), UPDATE_MS);
    }
  }

  async #readTasks() {
    try {
      this.tasks.replace(await api.tasks(this.state.query()));
      this.#tellChips();
      this.#showList('tasks');
    } catch { /* The stream of events says when the process is gone. */ }
  }

  async #readTask() {
    const aside = byId('task');
    const id = this.state.task;
    aside.hidden = id === '';
    if (id === '') return;
    try {
      const task = await api.task(id, this.state.query());
      if (id === this.state.task) aside.replaceChildren(...describeTask(task));
    } catch (error) {
      aside.replaceChildren(element('p', {}, error.message));
    }
  }

  async #readSnapshots() {
    try {
      this.snapshots.replace(await api.snapshots());
      this.#showList('snapshots');
    } catch { /* As above. */ }
  }

  #showList(kind) {
    if (kind !== this.state.tab) return;
    const {shown, kept, all} = this[kind].show();
    const number = value => globalThis.sondeFlame.formatCount(value);
    byId('count').textContent = (kept === all ? number(all) : `${number(kept)} of ${number(all)}`) +
        (shown < kept ? `, the first ${number(shown)} shown` : '');
  }

  #tellStatus(status) {
    const wasLost = this.isLost;
    this.status = status;
    this.isLost = false;
    document.body.classList.remove('is-lost');
    document.title = status.program + ' · sonde';
    byId('program').textContent = status.program;
    byId('facts').textContent = `pid ${status.pid} · ${status.role} · up ${duration(status.uptime_ns)}`;
    const cpu = status.cpu.percent;
    byId('cpu').textContent = `CPU ${(cpu.at(-1) ?? 0).toFixed(1)} % · ${status.samples.per_second.toFixed(0)} samples/s`;
    drawLine(byId('cpu-line'), cpu, 60);
    this.#tellHealth(status);
    this.#tellEmpty();
    if (!status.sampling.running) this.#notice('Profiling is paused' + (status.sampling.paused_reason ? ': ' + status.sampling.paused_reason : ''));
    else if (status.symbols_missing.length > 0) {
      const {module, reason} = status.symbols_missing[0];
      this.#notice(`No names for ${module}: ${reason}` + (status.symbols_missing.length > 1 ? `, and ${status.symbols_missing.length - 1} more` : ''), 'symbols');
    } else {
      this.#notice('', 'symbols');
    }
    if (wasLost) {
      this.#readTasks();
      this.#readSnapshots();
      this.#update(true);
    }
  }

  #tellHealth({samples, losses, overhead_percent: overhead, tasks}) {
    const health = byId('health');
    const share = samples.taken === 0 ? 0 : (100 * samples.dropped) / samples.taken;
    health.textContent = samples.dropped === 0 ? 'complete' : `dropped ${share < 0.1 ? share.toFixed(2) : share.toFixed(1)} %`;
    health.className = samples.dropped === 0 ? '' : 'loud';
    const number = value => globalThis.sondeFlame.formatCount(value);
    const facts = [['taken', number(samples.taken)], ['written', number(samples.written)], ['dropped', number(samples.dropped)],
                   ...losses.map(loss => [loss.cause, `${number(loss.count)} ${loss.unit}`]), ['overhead', overhead.toFixed(2) + ' % of CPU'],
                   ['tasks', `${number(tasks.live)} live of ${number(tasks.seen)} seen, ${number(tasks.dropped)} not kept`]];
    byId('account').replaceChildren(...facts.flatMap(([name, value]) => [element('dt', {}, name), element('dd', {}, value)]));
  }

  #tellEmpty() {
    const empty = byId('empty');
    if (empty.hidden || this.status === null) return;
    const {sampling, cpu} = this.status;
    empty.textContent = !sampling.running ? 'Profiling is paused.'
        : this.state.task + this.state.thread + this.state.label !== '' ? 'No samples of this selection in the window.'
        : (cpu.percent.at(-1) ?? 0) < 1 ? `The process is idle: it used no CPU time in the window. Samples come ${sampling.hz} times a second of CPU time.`
        : `No samples yet. They come ${sampling.hz} times a second of CPU time.`;
  }

  #tellLost() {
    this.isLost = true;
    document.body.classList.add('is-lost');
    byId('health').textContent = 'connection lost, trying again';
    byId('health').className = 'lost';
  }

  #notice(text, source = 'error') {
    if (text === '' && this.noticeFrom !== source) return;
    this.noticeFrom = source;
    byId('notice').textContent = text;
    byId('notice').hidden = text === '';
  }
}

globalThis.sondePage = new Page();
