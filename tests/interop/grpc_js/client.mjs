// client.mjs PROTO PORT: what @grpc/grpc-js, a client of its own making, gets from the console.
import assert from 'node:assert/strict';
import grpc from '@grpc/grpc-js';
import loader from '@grpc/proto-loader';

const [proto, port] = process.argv.slice(2);
const definition = loader.loadSync(proto, {longs: Number, defaults: false, oneofs: true, keepCase: true});
const {Instrument} = grpc.loadPackageDefinition(definition).rs.tokio.console.instrument;
const client = new Instrument(`127.0.0.1:${port}`, grpc.credentials.createInsecure(), {'grpc.max_receive_message_length': 4 << 20});

// The next `count` messages of a stream, or its error.
const take = (stream, count) => new Promise((done, fail) => {
  const messages = [];
  stream.on('data', message => {
    messages.push(message);
    if (messages.length === count) { stream.cancel(); done(messages); }
  });
  stream.on('error', error => { if (error.code !== grpc.status.CANCELLED) fail(error); });
});
const call = name => new Promise((done, fail) => client[name]({}, (error, answer) => (error ? fail(error) : done(answer))));

const updates = await take(client.WatchUpdates({}), 3);
const tasks = new Map();
for (const {now, task_update: update} of updates) {
  assert.ok(Number(now.seconds) > 1.6e9, 'an Update has the time');
  for (const task of update?.new_tasks ?? []) {
    assert.ok(!tasks.has(task.id.id), 'a task is announced once');
    tasks.set(task.id.id, task.fields.find(field => field.str_name === 'task.name').str_val);
  }
}
const producer = [...tasks].find(([, name]) => name === 'produce jobs');
assert.ok(producer, `no task "produce jobs" among ${[...tasks.values()]}`);

const [details] = await take(client.WatchTaskDetails({id: {id: producer[0]}}), 1);
assert.equal(details.task_id.id, producer[0]);
assert.equal(details.poll_times_histogram, 'histogram');
assert.equal(details.histogram.raw_histogram.subarray(0, 4).toString('hex'), '1c849313');

await assert.rejects(take(client.WatchTaskDetails({id: {id: 1e12}}), 1), {code: grpc.status.NOT_FOUND});
await call('Pause');
const [state] = await take(client.WatchState({}), 1);
assert.ok(state.temporality === 'PAUSED' || state.temporality === 1, `paused, and told ${JSON.stringify(state)}`);
await call('Resume');
console.log(`grpc-js: ${tasks.size} tasks, details, errors, pause and resume as they should be`);
client.close();
