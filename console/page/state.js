// State: what is selected. One object for the whole page, kept in the address.

const DEFAULTS = {window: '10', task: '', thread: '', label: '', base: '', q: '', zoom: '', tab: 'functions',
                  filter: '', sort: '', callers: '', colors: 'module', snapshot: '', against: ''};

export class State {
  constructor() {
    this.listeners = [];
    this.read();
    addEventListener('hashchange', () => {
      if (this.text() === location.hash.slice(1)) return;
      this.read();
      this.#tell(Object.keys(DEFAULTS));
    });
  }

  read() {
    const fields = new URLSearchParams(location.hash.slice(1));
    for (const [key, normal] of Object.entries(DEFAULTS)) this[key] = fields.get(key) ?? normal;
  }

  text() {
    const fields = new URLSearchParams();
    for (const [key, normal] of Object.entries(DEFAULTS)) if (this[key] !== normal) fields.set(key, this[key]);
    return String(fields);
  }

  // Calls `listener` with the keys that changed.
  onChange(listener) { this.listeners.push(listener); }

  set(changes) {
    const changed = Object.keys(changes).filter(key => this[key] !== changes[key]);
    if (changed.length === 0) return;
    Object.assign(this, changes);
    const text = this.text();
    history.replaceState(null, '', text === '' ? location.pathname + location.search : '#' + text);
    this.#tell(changed);
  }

  #tell(changed) { for (const listener of this.listeners) listener(changed); }

  // The query of what is selected, for /api/flame and for saving.
  query() {
    const fields = new URLSearchParams({window: this.window});
    for (const key of ['task', 'thread', 'label', 'base']) if (this[key] !== '') fields.set(key, this[key]);
    return fields;
  }
}
