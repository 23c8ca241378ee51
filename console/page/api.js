// Api: the requests of docs/http.md.

import {readPprof} from './pprof.js';

// A console that wants a token gets the one that the page was opened with: /?token=…
const token = new URLSearchParams(location.search).get('token');

export function withToken(path) {
  return token === null ? path : path + (path.includes('?') ? '&' : '?') + new URLSearchParams({token});
}

async function fetchOk(path, options) {
  const answer = await fetch(withToken(path), {cache: 'no-store', ...options});
  if (!answer.ok) throw new Error((await answer.text()).trim().split('\n')[0] || `${path}: ${answer.status}`);
  return answer;
}

const fetchJson = async (path, options) => (await fetchOk(path, options)).json();

export const snapshotPath = name => '/api/artifacts/' + encodeURIComponent(name);

// The picture, with the time that it and what it is compared with cover.
async function fetchFlame(query) {
  const answer = await fetchOk('/api/flame?' + query);
  const covered = name => (answer.headers.has(name) ? Number(answer.headers.get(name)) : null);
  return {...await answer.json(), covered_ns: covered('x-sonde-covered-ns'), base_covered_ns: covered('x-sonde-base-covered-ns')};
}

export const api = {
  flame: fetchFlame,
  labels: query => fetchJson('/api/labels?' + query),
  tasks: () => fetchJson('/api/tasks'),
  task: id => fetchJson('/api/tasks/' + encodeURIComponent(id)),
  snapshots: () => fetchJson('/api/artifacts'),
  snapshot: async name => readPprof(await (await fetchOk(snapshotPath(name))).arrayBuffer()),
  writeSnapshot: () => fetchJson('/api/snapshot', {method: 'POST', headers: {'X-Sonde-Request': '1'}}),
};

// One stream of events, closed while the tab is hidden.
//   on: {status, lost}
export class Events {
  constructor(on) {
    this.on = on;
    document.addEventListener('visibilitychange', () => (document.hidden ? this.close() : this.open()));
    if (!document.hidden) this.open();
  }

  open() {
    if (this.source !== undefined) return;
    this.source = new EventSource(withToken('/api/events'));
    this.source.addEventListener('status', event => this.on.status(JSON.parse(event.data)));
    this.source.addEventListener('error', () => {
      this.on.lost();
      // The browser gives up on some errors; the page does not.
      if (this.source?.readyState === EventSource.CLOSED) {
        this.close();
        setTimeout(() => { if (!document.hidden) this.open(); }, 1000);
      }
    });
  }

  close() {
    this.source?.close();
    this.source = undefined;
  }
}
