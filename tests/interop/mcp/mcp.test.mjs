// The protocol's own client lists the tools of `sonde mcp`, calls them, and checks every answer against its schema.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import test from 'node:test';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const program = process.env.SONDE_PROGRAM;
const daemon = process.env.SONDE_DAEMON;

// A workspace with two profiles, and a client of a server that was started for it.
async function connected(t, gates = ['--allow-writes'], environment = {}) {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'sonde-mcp-')));
  t.after(() => fs.rmSync(folder, { recursive: true, force: true }));
  const root = path.join(folder, 'work');
  fs.mkdirSync(root);
  fs.writeFileSync(path.join(root, 'before.folded'), 'main;worker;malloc 60\nmain;worker;compute 40\n');
  fs.writeFileSync(path.join(root, 'after.folded'), 'main;worker;malloc 20\nmain;worker;compute 80\n');
  fs.writeFileSync(path.join(folder, 'outside.folded'), 'a 1\n');
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StdioClientTransport({
    command: program,
    args: ['mcp', '--allowed-root', root, '--artifact-root', path.join(root, 'results'), ...gates],
    env: { ...process.env, ...environment },
    stderr: 'inherit',
  }));
  t.after(() => client.close());
  const { tools } = await client.listTools();  // After this the client checks answers by their schemas.
  return { client, folder, root, tools };
}

const freePort = () => new Promise((resolve) => {
  const server = createServer().listen(0, '127.0.0.1', () => {
    const { port } = server.address();
    server.close(() => resolve(port));
  });
});

async function value(client, name, args) {
  const result = await client.callTool({ name, arguments: args });
  assert.ok(!result.isError, JSON.stringify(result.content));
  return result.structuredContent;
}

async function refusal(client, name, args) {
  const result = await client.callTool({ name, arguments: args });
  assert.ok(result.isError, `${name} was not refused`);
  return JSON.parse(result.content[0].text).error;
}

test('every tool has schemas, annotations and a permission', async (t) => {
  const { tools } = await connected(t);
  const names = tools.map((tool) => tool.name);
  for (const name of ['analyze_profile', 'list_hotspots', 'get_hotspot_details', 'get_call_paths', 'classify_hotspots',
    'build_diagnosis_bundle', 'read_artifact_page', 'resolve_source', 'get_source_context', 'analyze_benchmark',
    'compare_profiles', 'compare_benchmarks', 'collect_profile', 'list_artifacts', 'inspect_elf', 'flame_graph', 'report',
    'agent_tokens', 'live_processes', 'live_profile', 'live_tasks']) {
    assert.ok(names.includes(name), name);
  }
  for (const tool of tools) {
    assert.equal(tool.inputSchema.type, 'object', tool.name);
    assert.equal(tool.outputSchema.type, 'object', tool.name);
    assert.equal(tool.annotations.openWorldHint, false, tool.name);
    assert.ok(tool._meta['sonde/permission'], tool.name);
  }
});

test('a profile inside the root is analysed, compared and read page by page', async (t) => {
  const { client, root } = await connected(t);
  const before = await value(client, 'analyze_profile', { path: path.join(root, 'before.folded') });
  const after = await value(client, 'analyze_profile', { path: path.join(root, 'after.folded') });
  const id = before.artifact_id;
  const page = await value(client, 'list_hotspots', { analysis_id: id, limit: 1 });
  assert.equal(page.total_items, 4);
  assert.equal(page.next_cursor, 1);
  assert.equal(page.items[0].symbol, 'malloc');
  const details = await value(client, 'get_hotspot_details', { analysis_id: id, hotspot_id: 'H-001' });
  assert.equal(details.hotspot.self_weight, 60);
  const candidates = await value(client, 'classify_hotspots', { analysis_id: id });
  assert.equal(candidates.items[0].conclusion_status, 'candidate');
  const bundle = await value(client, 'build_diagnosis_bundle', { analysis_id: id });
  const text = await value(client, 'read_artifact_page',
    { artifact_id: bundle.artifact_id, artifact_type: 'diagnosis', limit: 128 });
  assert.equal(text.next_offset, 128);
  const comparison = await value(client, 'compare_profiles',
    { baseline_analysis_id: id, candidate_analysis_id: after.artifact_id });
  assert.equal(comparison.summary.comparable, true);
  assert.match((await value(client, 'report', { analysis_id: id })).markdown, /Confirmed: none/);
  assert.equal((await value(client, 'inspect_elf', { path: await copyOfProgram(root) })).elf_type, 'ET_DYN');
});

async function copyOfProgram(root) {
  const copy = path.join(root, 'app');
  fs.copyFileSync('/bin/true', copy);
  return copy;
}

test('outside the root and behind closed gates every call is refused', async (t) => {
  const { client, folder, root } = await connected(t, []);
  for (const outside of [path.join(folder, 'outside.folded'), path.join(root, '../outside.folded'), '/etc/passwd']) {
    assert.equal((await refusal(client, 'inspect_elf', { path: outside })).code, 'PATH_SAFETY_VIOLATION');
  }
  for (const [name, args] of [
    ['analyze_profile', { path: path.join(root, 'before.folded') }],
    ['flame_graph', { path: path.join(root, 'before.folded'), output_path: path.join(root, 'x.svg') }],
    ['resolve_source', { binary_path: await copyOfProgram(root), module_offset: 1, resolver: 'addr2line' }],
    ['agent_tokens', { project_root: root }],
    ['live_processes', {}],
    ['live_tasks', { pid: 1 }],
    ['collect_profile', { output_path: path.join(root, 'x.data'), authorization: 'x', executable: '/bin/true' }],
  ]) {
    assert.equal((await refusal(client, name, args)).stage, 'authorization', name);
  }
  assert.deepEqual(fs.readdirSync(root).sort(), ['after.folded', 'app', 'before.folded']);
});

test('recording needs every gate and then the phrase', async (t) => {
  const gates = ['--allow-writes', '--allow-process-execution', '--allow-active-collection'];
  const { client, root } = await connected(t, gates);
  const args = { output_path: path.join(root, 'x.data'), authorization: 'please', executable: '/bin/true' };
  assert.equal((await refusal(client, 'collect_profile', args)).stage, 'authorization');
  const attaching = { output_path: args.output_path, authorization: args.authorization, pid: process.pid, duration_seconds: 1 };
  assert.equal((await refusal(client, 'collect_profile', attaching)).details.option, '--allow-pid-attach');
  assert.ok(!fs.existsSync(args.output_path));
});

test('hotspots and tasks of a running daemon', { skip: daemon ? false : 'no example daemon' }, async (t) => {
  const runtime = fs.mkdtempSync(path.join(os.tmpdir(), 'sonde-runtime-'));
  const running = spawn(daemon, ['--seconds', '0', '--directory', path.join(runtime, 'profiling')], {
    env: { ...process.env, XDG_RUNTIME_DIR: runtime, SONDE_CONSOLE_HTTP_PORT: String(await freePort()), SONDE_CONSOLE_PORT: '0' },
    stdio: 'ignore',
  });
  t.after(async () => {
    const ended = new Promise((resolve) => running.once('exit', resolve));
    running.kill('SIGTERM');
    await ended;
    fs.rmSync(runtime, { recursive: true, force: true });
  });
  const { client } = await connected(t, ['--allow-writes', '--allow-live'], { XDG_RUNTIME_DIR: runtime });
  let processes = { items: [] };
  for (let tries = 0; tries < 300 && processes.items.length === 0; ++tries) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    processes = await value(client, 'live_processes', {});
  }
  assert.equal(processes.items[0].pid, running.pid);
  const reference = await value(client, 'live_profile', { pid: running.pid, seconds: 3 });
  const page = await value(client, 'list_hotspots', { analysis_id: reference.artifact_id });
  assert.ok(page.total_items > 0);
  assert.ok(Array.isArray((await value(client, 'live_tasks', { pid: running.pid })).items));
  assert.equal((await refusal(client, 'live_tasks', { pid: 1 })).code, 'INVALID_INPUT');
  // A long call is told about, hinders nobody, and ends when it is no longer wanted.
  const abort = new AbortController();
  let told = 0;
  const long = client.callTool({ name: 'live_profile', arguments: { pid: running.pid, seconds: 60 } }, undefined, {
    signal: abort.signal,
    onprogress: ({ progress, total }) => {
      assert.equal(total, 60);
      told = progress;
      abort.abort('enough');
    },
  });
  await client.ping();
  await assert.rejects(long);
  assert.ok(told >= 1, `${told} s`);
  assert.equal((await value(client, 'live_processes', {})).items[0].pid, running.pid);
});
