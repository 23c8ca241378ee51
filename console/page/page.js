// The live page: joins what the process says with what is selected.

import {api, Events} from './api.js';
import {byId, drawLine, duration, element} from './dom.js';
import {Functions} from './functions.js';
import {Only} from './only.js';
import {Picture} from './picture.js';
import {flameOf} from './pprof.js';
import {Save} from './save.js';
import {Snapshots} from './snapshots.js';
import {State} from './state.js';
import {describeTask, Tasks} from './tasks.js';

const UPDATE_MS = 500;
const TASKS_MS = 1000;
const SNAPSHOTS_MS = 5000;
const LABELS_MS = 2000;
const LINE_POINTS = 60;

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
      lost: () => this.#tellLost(),
    });
    this.#readTasks();
    this.#readSnapshots();
    this.#readLabels();
    setInterval(() => this.#readLabels(), LABELS_MS);
    setInterval(() => { if (!this.frozen && (this.state.tab === 'tasks' || this.state.task !== '')) this.#readTasks(); }, TASKS_MS);
    setInterval(() => { if (this.state.tab === 'snapshots') this.#readSnapshots(); }, SNAPSHOTS_MS);
    this.#update();
  }

  #listen() {
    const {state} = this;
    state.onChange(changed => this.#apply(changed));
    for (const button of byId('windows').children) {
      button.addEventListener('click', () => state.set({window: button.dataset.window, snapshot: '', against: ''}));
    }
    byId('base').addEventListener('change', () => state.set({base: byId('base').value, snapshot: '', against: ''}));
    this.only = new Only(byId('only'), state);
    byId('freeze').addEventListener('click', () => this.#freeze());
    this.save = new Save(byId('save'), state, this.picture);
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
      byId('keys').append(element('div', {}, element('dt', {}, key), element('dd', {}, text)));
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
    this.#tellSave();
    if (!this.frozen) this.#update();
  }

  #tellSave() { this.save.show(this.frozen || this.isLost); }

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
    byId('snapshot').hidden = byId('compare').hidden = byId('snapshots-notice').hidden = state.tab !== 'snapshots';
    this.only.show();
    this.#tellSave();
    this.#tellChips();
    this.picture.apply(changed);
    if (changed.some(key => ['window', 'task', 'thread', 'label', 'base', 'snapshot', 'against'].includes(key))) {
      this.#update(true);
    }
    if (changed.includes('task')) {
      this.#tellTask();
      if (state.task !== '') this.#readTask().then(() => this.#tellTask());
    }
    this.#showList(state.tab);
  }

  #tellChips() {
    const {state} = this;
    const chips = [['task', 'task ' + state.task + ' ' + (this.tasks.find(state.task)?.name ?? '')], ['thread', 'thread ' + state.thread],
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
      const json = isLive ? await api.flame(state.query()) : await this.#snapshotFlame();
      // While it was under way another selection, or a freeze, may have come.
      if (asked === `${state.query()} ${state.snapshot} ${state.against}` && (!this.frozen || now)) {
        this.picture.show(json);
        this.hasJustBegun = isLive && json.subtitle.some(line => line.startsWith('Nothing yet'));
        this.functions.take(this.picture.data, isLive && asked === this.lastAsked, this.hasJustBegun);
        this.lastAsked = asked;
        if (isLive) this.#keepColors();
        this.#tellSpan(json);
        this.#tellEmpty();
        this.#tellNameless();
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

  // A snapshot, or its difference to another, read here.
  async #snapshotFlame() {
    const {snapshot, against} = this.state;
    const before = against === '' ? null : await api.snapshot(against);
    return flameOf(await api.snapshot(snapshot), before, frame => this.#colorOf(frame));
  }

  // A function keeps the colour that the process gave it; others get one by name.
  #keepColors() {
    this.colors ??= new Map();
    const {data} = this.picture;
    data.names.forEach((name, i) => this.colors.set(name, data.moduleColors.slice(2 * i, 2 * i + 2)));
  }

  #colorOf({name, module}) {
    const known = this.colors?.get(name);
    if (known !== undefined) return known;
    let hash = 7;
    for (const letter of module.includes('.so') ? module : name.split('::')[0]) hash = (hash * 31 + letter.codePointAt(0)) >>> 0;
    return (module.includes('.so') ? 'fghijk'[hash % 6] : 'abcde'[hash % 5]) + (name.length % 4);
  }

  // How much time the picture covers, and what it is compared with.
  #tellSpan({covered_ns: covered, base_covered_ns: base}) {
    const isDifference = base !== null && base > 0;
    byId('span').textContent = (covered > 0 ? 'over ' + duration(covered) : '') +
        (isDifference ? `, before over ${duration(base)}` + (Math.abs(covered - base) > covered / 100 ? ', scaled to the same time' : '') : '');
    this.#notice(base === 0 && !this.hasJustBegun ? 'Nothing is kept of that time, so there is no comparison: samples are kept while a page is open, for 20 minutes.'
        : '', 'base');
  }

  // Modules without symbols: which, how much of the picture they are, and what helps.
  #tellNameless() {
    const {data} = this.picture;
    const list = data.listFor(false);
    const byModule = new Map();
    let all = 0;
    for (let i = 0; i < list.frame.length; ++i) {
      all += list.self[i];
      const frame = list.frame[i];
      if (frame <= 0 || data.kinds[frame] !== 'x' || data.modules[frame] === '') continue;
      byModule.set(data.modules[frame], (byModule.get(data.modules[frame]) ?? 0) + list.self[i]);
    }
    const [module, weight] = [...byModule].sort((a, b) => b[1] - a[1])[0] ?? ['', 0];
    this.#notice(weight * 20 < all || all === 0 ? '' : `No names for ${module}, ${globalThis.sondeFlame.formatPercent(weight, all)} of the picture: ` +
        'it was stripped. Install its debug symbols, or link it without -s.', 'symbols');
  }

  async #readTasks() {
    try {
      this.tasks.replace(await api.tasks());
      this.#tellChips();
      await this.#readTask();
      this.#tellTask();
      this.#showList('tasks');
    } catch { /* The stream of events says when the process is gone. */ }
  }

  // The histograms of the chosen task; what is no longer kept has none.
  async #readTask() {
    const {task} = this.state;
    if (this.tasks.find(task) === undefined) { this.details = undefined; return; }
    const details = await api.task(task).catch(() => undefined);
    if (task === this.state.task) this.details = details;
  }

  #tellTask() {
    const details = String(this.details?.id) === this.state.task ? this.details : undefined;
    const aside = byId('task');
    const task = this.tasks.find(this.state.task);
    aside.hidden = this.state.task === '';
    if (!aside.hidden) aside.replaceChildren(...(task === undefined ? ['This task has ended and is no longer kept.'] : describeTask(task, details)));
  }

  // Which threads and labels can be chosen.
  async #readLabels() {
    if (document.hidden || this.frozen || this.state.snapshot !== '') return;
    try {
      this.only.replace((await api.labels(new URLSearchParams({window: this.state.window}))).labels);
    } catch { /* The stream of events says when the process is gone. */ }
  }

  async #readSnapshots() {
    try {
      const catalog = await api.snapshots();
      this.snapshots.replace(catalog);
      byId('snapshots-notice').textContent = 'Look before you hand one on: ' + catalog.notice + '.';
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
    const before = wasLost || this.status?.pid !== status.pid ? null : this.status;
    this.status = status;
    this.isLost = false;
    document.body.classList.remove('is-lost');
    this.#tellSave();
    const program = status.program.slice(status.program.lastIndexOf('/') + 1);
    document.title = program + ' · sonde';
    byId('program').textContent = program;
    byId('program').title = status.program;
    byId('facts').textContent = `pid ${status.pid} · ${status.role} · up ${duration(status.uptime_ns)}`;
    this.#tellLoad(before, status);
    this.#tellHealth(status);
    this.#tellEmpty();
    this.#notice(!status.sampling ? 'This process is not sampled: it shows tasks only.'
        : status.paused ? 'Recording of tasks is paused.' : '', 'status');
    if (wasLost) {
      this.#readTasks();
      this.#readSnapshots();
      this.#update(true);
    }
  }

  // What the CPU did between two events; 100 % is one core.
  #tellLoad(before, {uptime_ns: uptime, sampler}) {
    const passed = before === null ? 0 : uptime - before.uptime_ns;
    if (sampler === undefined || passed <= 0 || before.sampler === undefined) return;
    const cpu = (100 * Math.max(sampler.process_cpu_ns - before.sampler.process_cpu_ns, 0)) / passed;
    this.load = [...(this.load ?? []), cpu].slice(-LINE_POINTS);
    const recent = this.load.slice(-2);
    const rate = ((sampler.taken - before.sampler.taken) * 1e9) / passed;
    byId('cpu').textContent = `CPU ${(recent.reduce((sum, value) => sum + value, 0) / recent.length).toFixed(1)} % · ${rate.toFixed(0)} samples/s`;
    drawLine(byId('cpu-line'), this.load, LINE_POINTS);
  }

  #tellHealth({sampling, sampler, snapshots, push, console: tasks}) {
    const health = byId('health');
    const number = value => globalThis.sondeFlame.formatCount(value);
    const percent = share => `${share < 0.1 ? share.toFixed(2) : share.toFixed(1)} %`;
    const lost = [];
    if (sampler?.dropped > 0) lost.push(`dropped ${percent((100 * sampler.dropped) / sampler.taken)}`);
    if (sampler?.lost_blocked_ns > 0) lost.push(`blind to ${percent((100 * sampler.lost_blocked_ns) / sampler.process_cpu_ns)}`);
    const problem = snapshots?.problem ?? '';
    if (problem !== '') lost.push('snapshots fail');
    health.textContent = !sampling ? 'not sampled' : lost.length === 0 ? 'complete' : lost.join(', ');
    health.className = lost.length === 0 ? '' : 'loud';
    const facts = [];
    if (sampler !== undefined) {
      facts.push(['taken', number(sampler.taken)], ['written', number(sampler.written)], ['dropped', number(sampler.dropped)],
                 ['stacks cut short', number(sampler.truncated)],
                 ['CPU time of threads that block SIGPROF', duration(sampler.lost_blocked_ns ?? 0)],
                 ['CPU time unexplained', duration(sampler.unexplained_ns)],
                 ['profiler', globalThis.sondeFlame.formatPercent(sampler.profiler_cpu_ns, sampler.process_cpu_ns) + ' of CPU time']);
    }
    if (tasks !== undefined) {
      facts.push(['tasks', `${number(tasks.tasks_kept)} kept of ${number(tasks.tasks_seen)} seen, ${number(tasks.tasks_dropped)} dropped`]);
    }
    if (snapshots !== undefined) {
      facts.push(['snapshots', `${number(snapshots.written)} written` + (snapshots.failures === 0 ? '' : `, ${number(snapshots.failures)} could not be`)]);
    }
    this.snapshots.tellProblem(problem);
    if (this.state.tab === 'snapshots') this.#showList('snapshots');
    this.#notice(problem === '' ? '' : `Snapshots cannot be written, it is tried again: ${problem}.`, 'snapshots');
    if (push !== undefined) {
      facts.push(['pushed to ' + push.engine, `${number(push.pushed)} of ${number(push.taken)} profiles, ${number(push.dropped)} dropped, ${number(push.waiting)} waiting`]);
    }
    this.#notice(push === undefined || push.problem === '' ? '' : `Pushing to ${push.engine} fails, it is tried again: ${push.problem}.`, 'push');
    byId('account').replaceChildren(...facts.map(([name, value]) => element('div', {}, element('dt', {}, name), element('dd', {}, value))));
  }

  #tellEmpty() {
    const empty = byId('empty');
    if (empty.hidden || this.status === null) return;
    empty.textContent = !this.status.sampling ? 'This process is not sampled.'
        : this.hasJustBegun ? 'Sampling of this window has just begun.'
        : this.state.task + this.state.thread + this.state.label !== '' ? 'No samples of this selection in the window.'
        : this.load !== undefined && this.load.at(-1) < 1 ? 'The process is idle: it uses no CPU time. Samples come with the CPU time that it uses, 99 in a second of it.'
        : 'No samples yet. They come with the CPU time that the process uses, 99 in a second of it.';
  }

  #tellLost() {
    this.isLost = true;
    document.body.classList.add('is-lost');
    this.#tellSave();
    byId('health').textContent = 'connection lost, trying again';
    byId('health').className = 'lost';
  }

  // What each source has to say; an empty text takes it back.
  #notice(text, source = 'error') {
    this.notices ??= new Map();
    if (text === '') this.notices.delete(source); else this.notices.set(source, text);
    byId('notice').textContent = [...this.notices.values()].join(' ');
    byId('notice').hidden = this.notices.size === 0;
  }
}

globalThis.sondePage = new Page();
