// A stand-in for a running process: serves the page and answers as docs/http.md says.
import {createServer} from 'node:http';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {gzipSync} from 'node:zlib';

const TYPES = {html: 'text/html; charset=utf-8', css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8', svg: 'image/svg+xml'};
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'";

// Which file a path of the page stands for.
function fileOf(source, path) {
  if (path === '/') return join(source, 'console/page/index.html');
  const name = /^\/assets\/([\w.]+)$/.exec(path)?.[1];
  if (name === undefined) return null;
  return join(source, name.startsWith('flame') ? 'export/flame' : 'console/page', name);
}

// Folded stacks as the object of /api/flame. `nameless`: functions without a name, by module.
export function flameOf(stacks, base = null, nameless = new Map()) {
  const names = ['all'];
  const index = new Map([['all', 0]]);
  const root = {frame: 0, children: new Map(), self: 0, base: 0};
  const add = (stack, key, weight) => {
    let node = root;
    for (const name of stack.split(';')) {
      if (!index.has(name)) index.set(name, names.push(name) - 1);
      let child = node.children.get(name);
      if (child === undefined) node.children.set(name, child = {frame: index.get(name), children: new Map(), self: 0, base: 0});
      node = child;
    }
    node[key] += weight;
  };
  for (const [stack, weight] of stacks) add(stack, 'self', weight);
  for (const [stack, weight] of base ?? []) add(stack, 'base', weight);
  const nodes = [], bases = [];
  const visit = (node, depth) => {
    nodes.push(node.frame, depth, node.self);
    bases.push(node.base);
    for (const name of [...node.children.keys()].sort()) visit(node.children.get(name), depth + 1);
  };
  visit(root, 0);
  const hue = name => (name.startsWith('std::') ? 'g' : name.startsWith('sys_') ? 'm' : 'abcde'[name.charCodeAt(0) % 5]);
  const color = names.map(name => hue(name) + (name.length % 4)).join('');
  return {version: 1, title: '', subtitle: [], type: 'cpu', unit: 'nanoseconds', callers: false, order: 'name',
          layout: 'icicle', colors: 'module', scheme: 'auto', left_out: 0, modules: ['served', ...nameless.values()],
          frames: {name: names, place: names.map((name, i) => (i === 0 ? '' : `src/${name.length}.cc:${i}`)),
                   module: names.map((name, i) => (i === 0 ? -1 : nameless.has(name) ? 1 : 0)),
                   kind: names.map(name => (nameless.has(name) ? 'x' : 'u')).join(''), color, kind_color: color},
          nodes, ...(base === null ? {} : {base: bases})};
}

export class MockServer {
  // Change these and the page follows.
  stacks = [['main;io_context::run;accept::Loop;std::read', 10]];
  taskStacks = new Map();
  newSpan = 60e9;   // Of the newest snapshot.
  tasks = [];
  snapshots = [];
  status = {program: '/opt/served/bin/served', pid: 4711, role: 'daemon', time_ns: 1764498000e9, uptime_ns: 81e9, paused: false, sampling: true,
            console: {tasks_kept: 2, tasks_seen: 9, tasks_dropped: 0},
            sampler: {taken: 12000, written: 12000, dropped: 0, truncated: 3, process_cpu_ns: 60e9, profiler_cpu_ns: 1e8, lost_ring_ns: 0, lost_blocked_ns: 0, lost_late_ns: 0, unexplained_ns: 2e7}};
  load = 0.75;      // CPU seconds a second.
  subtitle = [];    // Of the flame graph.
  covered = 9.98e9;      // Time that the flame graph covers, and its base.
  baseCovered = 9.98e9;
  labels = [];
  flames = 0;       // Requests for /api/flame.
  streams = new Set();

  constructor(source) {
    this.source = source;
    this.server = createServer((request, response) => this.answer(request, response));
  }

  async start(port = 0) {
    await new Promise(done => this.server.listen(port, '127.0.0.1', done));
    this.port = this.server.address().port;
    return `http://127.0.0.1:${this.port}/`;
  }

  stop() {
    for (const stream of this.streams) stream.destroy();
    this.server.closeAllConnections();
    return new Promise(done => this.server.close(done));
  }

  answer(request, response) {
    const url = new URL(request.url, 'http://127.0.0.1');
    const json = (body, code = 200, headers = {}) => {
      response.writeHead(code, {'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store', ...headers});
      response.end(JSON.stringify(body));
    };
    const file = fileOf(this.source, url.pathname);
    if (file !== null) {
      response.writeHead(200, {'content-type': TYPES[file.split('.').pop()], 'content-security-policy': POLICY});
      return response.end(readFileSync(file));
    }
    const query = url.searchParams;
    switch (url.pathname) {
      case '/api/status': return json(this.status);
      case '/api/events': return this.stream(response);
      case '/api/flame':
        ++this.flames;
        this.lastQuery = Object.fromEntries(query);
        return json({...flameOf(query.has('task') ? this.taskStacks.get(query.get('task')) ?? [] : this.stacks,
                                query.has('base') && this.baseCovered > 0 ? this.baseStacks ?? [] : null, this.nameless),
                     subtitle: this.subtitle}, 200,
                    {'x-sonde-covered-ns': this.covered, ...(query.has('base') ? {'x-sonde-base-covered-ns': this.baseCovered} : {})});
      case '/api/labels': return json({type: 'cpu', unit: 'nanoseconds', total: 1e8, labels: this.labels});
      case '/api/tasks': return json({time_ns: Date.now() * 1e6, tasks: this.tasks});
      case '/api/artifacts': return json({version: 1, notice: 'raw names', snapshots: this.snapshots});
      case '/api/snapshot': {
        if (request.method !== 'POST' || request.headers['x-sonde-request'] !== '1') return json({error: 'foreign'}, 403);
        this.snapshots.unshift(snapshotOf(this.snapshots.length + 1));
        return json(this.snapshots[0]);
      }
    }
    const task = this.tasks.find(({id}) => url.pathname === '/api/tasks/' + id);
    if (task !== undefined) return json({time_ns: Date.now() * 1e6, ...task, ...histograms});
    const name = /^\/api\/artifacts\/(.+)$/.exec(url.pathname)?.[1];
    if (name !== undefined) {
      const isNew = name === this.snapshots[0]?.name;
      response.writeHead(200, {'content-type': 'application/octet-stream'});
      return response.end(pprofOf([[isNew ? 'main;now' : 'main;then', isNew ? 30 : 20], ['main;same', 10]], isNew ? this.newSpan : 60e9));
    }
    return json({error: 'no such path'}, 404);
  }

  stream(response) {
    response.writeHead(200, {'content-type': 'text/event-stream', 'cache-control': 'no-store'});
    response.write('retry: 200\n\n');
    this.streams.add(response);
    const tell = () => {
      const {sampler} = this.status;
      this.status = {...this.status, uptime_ns: this.status.uptime_ns + 5e8,
                     sampler: {...sampler, process_cpu_ns: sampler.process_cpu_ns + this.load * 5e8, taken: sampler.taken + 50}};
      response.write(`event: status\ndata: ${JSON.stringify(this.status)}\n\n`);
    };
    tell();
    const timer = setInterval(tell, 500);
    response.on('close', () => { clearInterval(timer); this.streams.delete(response); });
  }
}

const histograms = {
  poll_times: {max_ns: 9.1e6, buckets: [[2048, 3], [4096, 40], [16384, 310], [32768, 120], [8388608, 2]].map(([from_ns, count]) => ({from_ns, count}))},
  scheduled_times: {max_ns: 70e3, buckets: [[1024, 200], [2048, 250], [65536, 25]].map(([from_ns, count]) => ({from_ns, count}))},
};

export function taskOf(id, name, busy = 1e8) {
  return {id, parent: 0, name, kind: 'task', state: ['idle', 'running', 'scheduled'][id % 3], file: 'server.cc', line: id, created_ns: 0,
          total_ns: 1.1e9 + busy, busy_ns: busy, scheduled_ns: busy / 10, idle_ns: 1e9, polls: 10 + id * 17, wakes: 100,
          self_wakes: id % 50 === 49 ? 90 : 0, wakers: 1, fields: {request: '/search'}};
}

export function snapshotOf(number) {
  return {name: `daemon-profile-20261130T10${String(number).padStart(2, '0')}00.000Z-${number}.pb.gz`, role: 'daemon', label: 'CPU profile (pprof)', pid: 4711,
          start: `2026-11-30T10:${String(number).padStart(2, '0')}:00.000Z`, duration_ns: 60e9, samples: 5900 + number, dropped: 0, bytes: 48211};
}

// Folded stacks as a pprof file.
export function pprofOf(stacks, span = 60e9) {
  const varint = value => {
    const bytes = [];
    for (; value >= 128; value = Math.floor(value / 128)) bytes.push((value % 128) | 128);
    return [...bytes, value];
  };
  const number = (field, value) => [...varint(field * 8), ...varint(value)];
  const bytes = (field, value) => [...varint(field * 8 + 2), ...varint(value.length), ...value];
  const texts = ['', 'cpu', 'nanoseconds'];
  const names = [...new Set(stacks.flatMap(([stack]) => stack.split(';')))];
  texts.push(...names);
  const out = [bytes(1, [...number(1, 1), ...number(2, 2)])];
  for (const [stack, weight] of stacks) {
    const ids = stack.split(';').reverse().map(name => names.indexOf(name) + 1);
    out.push(bytes(2, [...bytes(1, ids.flatMap(varint)), ...bytes(2, varint(weight))]));
  }
  names.forEach((_, i) => {
    out.push(bytes(4, [...number(1, i + 1), ...bytes(4, [...number(1, i + 1), ...number(2, 12)])]));
    out.push(bytes(5, [...number(1, i + 1), ...number(2, i + 3)]));
  });
  for (const text of texts) out.push(bytes(6, [...Buffer.from(text)]));
  out.push(number(10, span));
  return gzipSync(Buffer.from(out.flat()));
}

// Many stacks that look like a program's; equal seeds give equal ones.
export function manyStacks(count, seed = 1) {
  const random = n => (seed = (seed * 48271) % 2147483647) % n;
  const parts = ['http::Session::Read', 'json::Parse', 'db::Query', 'std::sort', 'cache::Find', 'sys_read', 'tls::Decrypt', 'index::Walk'];
  return Array.from({length: count}, () => {
    const stack = ['main', 'io_context::run', `task ${random(12)}`];
    const depth = 3 + random(9);
    for (let i = 0; i < depth; ++i) stack.push(parts[random(parts.length)] + (i > 2 ? random(60) : ''));
    return [stack.join(';'), 1e6 * (1 + random(40))];
  });
}

if (process.argv[1] === new URL(import.meta.url).pathname && process.argv.includes('--serve')) {
  const mock = new MockServer(process.env.SONDE_SOURCE);
  mock.stacks = manyStacks(4000);
  mock.tasks = Array.from({length: 1000}, (_, i) => taskOf(i + 1, ['accept', 'session', 'flush', 'gc'][i % 4] + ' ' + i, (i * 7919) % 1e9));
  mock.snapshots = [3, 2, 1].map(snapshotOf);
  console.log(await mock.start(Number(process.env.PORT ?? 0)));
}
