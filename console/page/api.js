// Api: the requests of docs/http.md.

async function fetchJson(path, options) {
  const answer = await fetch(path, {cache: 'no-store', ...options});
  if (!answer.ok) {
    const reason = await answer.json().catch(() => ({}));
    throw new Error(reason.error ?? `${path}: ${answer.status}`);
  }
  return answer.json();
}

export const api = {
  flame: query => fetchJson('/api/flame?' + query),
  tasks: query => fetchJson('/api/tasks?' + query),
  task: (id, query) => fetchJson('/api/task?' + new URLSearchParams({...Object.fromEntries(query), id})),
  snapshots: () => fetchJson('/api/snapshots'),
  snapshotFlame: (name, base) => fetchJson(`/api/snapshots/${encodeURIComponent(name)}/flame` +
      (base === '' ? '' : '?' + new URLSearchParams({base}))),
  writeSnapshot: () => fetchJson('/api/snapshot', {method: 'POST', headers: {'Sonde-Client': '1'}}),
};

// One stream of events, closed while the tab is hidden.
//   on: {status, tasks, snapshots, lost}
export class Events {
  constructor(on) {
    this.on = on;
    document.addEventListener('visibilitychange', () => (document.hidden ? this.close() : this.open()));
    if (!document.hidden) this.open();
  }

  open() {
    if (this.source !== undefined) return;
    this.source = new EventSource('/api/events');
    for (const kind of ['status', 'tasks', 'snapshots']) {
      this.source.addEventListener(kind, event => this.on[kind](JSON.parse(event.data)));
    }
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
