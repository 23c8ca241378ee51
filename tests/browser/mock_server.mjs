// A stand-in for a running process: serves the page and answers as docs/http.md says.
import {createServer} from 'node:http';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';

const TYPES = {html: 'text/html; charset=utf-8', css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8'};
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:";

// Which file a path of the page stands for.
function fileOf(source, path) {
  if (path === '/') return join(source, 'console/page/index.html');
  const name = /^\/assets\/([\w.]+)$/.exec(path)?.[1];
  if (name === undefined) return null;
  return join(source, name.startsWith('flame') ? 'export/flame' : 'console/page', name);
}

// Folded stacks as the object of /api/flame. `kinds` by name is optional.
export function flameOf(stacks, base = null) {
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
          layout: 'icicle', colors: 'module', scheme: 'auto', left_out: 0, modules: ['served'],
          frames: {name: names, place: names.map((name, i) => (i === 0 ? '' : `src/${name.length}.cc:${i}`)),
                   module: names.map((_, i) => (i === 0 ? -1 : 0)), kind: 'u'.repeat(names.length), color, kind_color: color},
          nodes, ...(base === null ? {} : {base: bases})};
}

export class MockServer {
  // Change these and the page follows.
  stacks = [['main;io_context::run;accept::Loop;std::read', 10]];
  taskStacks = new Map();
  tasks = [];
  snapshots = [];
  status = {
    version: 1, program: 'served', pid: 4711, role: 'daemon', session: 'run/session-1', started_unix_ns: '1764498000000000000',
    uptime_ns: 81e9, sampling: {running: true, hz: 99, paused_reason: ''}, cpu: {seconds: 1, percent: [12, 14, 20, 80, 60, 75]},
    samples: {taken: 12000, written: 12000, dropped: 0, per_second: 99.2}, losses: [], symbols_missing: [], overhead_percent: 0.21,
    tasks: {live: 2, seen: 2, dropped: 0}};
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

  // Sends an event to every page.
  send(kind, data) {
    for (const stream of this.streams) stream.write(`event: ${kind}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  answer(request, response) {
    const url = new URL(request.url, 'http://127.0.0.1');
    const json = (body, code = 200) => {
      response.writeHead(code, {'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store'});
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
        return json(flameOf(query.has('task') ? this.taskStacks.get(query.get('task')) ?? [] : this.stacks,
                            query.has('base') ? this.baseStacks ?? [] : null));
      case '/api/tasks': return json({tasks: this.tasks, seen: this.tasks.length, dropped: 0});
      case '/api/task': {
        const task = this.tasks.find(each => String(each.id) === query.get('id'));
        if (task === undefined) return json({error: 'no task has this id'}, 404);
        const times = {buckets: [{up_to_ns: 1024, count: 5}, {up_to_ns: 2048, count: 40}, {up_to_ns: 4096, count: 12}], max_ns: 3900};
        return json({...task, labels: {request: '/search'}, poll_times: times, scheduled_times: times});
      }
      case '/api/snapshots': return json({snapshots: this.snapshots, directory: 'run/session-1/profiling'});
      case '/api/snapshot': {
        if (request.method !== 'POST' || request.headers['sonde-client'] !== '1') return json({error: 'foreign'}, 403);
        this.snapshots.unshift(snapshotOf(this.snapshots.length + 1));
        return json(this.snapshots[0]);
      }
    }
    if (/^\/api\/snapshots\/[^/]+\/flame$/.test(url.pathname)) {
      return json(flameOf([['main;now', 30], ['main;same', 10]], query.has('base') ? [['main;then', 20], ['main;same', 10]] : null));
    }
    return json({error: 'no such path'}, 404);
  }

  stream(response) {
    response.writeHead(200, {'content-type': 'text/event-stream', 'cache-control': 'no-store'});
    response.write('retry: 200\n\n');
    this.streams.add(response);
    const tell = () => response.write(`event: status\ndata: ${JSON.stringify(this.status)}\n\n`);
    tell();
    const timer = setInterval(tell, 500);
    response.on('close', () => { clearInterval(timer); this.streams.delete(response); });
  }
}

export function taskOf(id, name, busy = 1e8) {
  return {id, name, state: ['idle', 'running', 'scheduled'][id % 3], spawned_at: `server.cc:${id}`, cpu_ns: busy, busy_ns: busy,
          scheduled_ns: busy / 10, idle_ns: 1e9, polls: id * 17, age_ns: 1.1e9 + busy, warnings: id % 50 === 49 ? ['never yielded for 2.1 s'] : []};
}

export function snapshotOf(number) {
  return {name: `daemon-profile-20261130T1${String(number).padStart(5, '0')}Z-${number}.pb.gz`, role: 'daemon', label: 'CPU profile (pprof)',
          start_unix_ns: String(1764499200n * 1_000_000_000n + BigInt(number) * 60_000_000_000n), duration_ns: 60e9, samples: 5900 + number, dropped: 0, bytes: 48211};
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
