// The page of real processes: the example daemon, and one with more stacks than can be drawn.
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {createServer} from 'node:net';
import {after, before, describe, it} from 'node:test';
import {folder, launch, open} from './browser.mjs';

const freePort = () => new Promise(done => {
  const server = createServer().listen(0, '127.0.0.1', () => {
    const {port} = server.address();
    server.close(() => done(port));
  });
});

// Until the process answers.
async function answers(url) {
  for (let i = 0; i < 600; ++i) {
    if (await fetch(url).then(answer => answer.ok, () => false)) return;
    await new Promise(done => setTimeout(done, 100));
  }
  assert.fail(`${url} does not answer`);
}

describe('the page of a daemon', {skip: process.env.SONDE_DAEMON ? false : 'the example daemon was not built'}, () => {
  let browser, daemon, url;
  before(async () => {
    browser = await launch();
    const port = await freePort();
    daemon = spawn(process.env.SONDE_DAEMON, ['--seconds', '60', '--directory', folder], {
      env: {...process.env, SONDE_CONSOLE_HTTP_PORT: String(port), SONDE_CONSOLE_PORT: '0'}, stdio: 'ignore'});
    url = `http://127.0.0.1:${port}/`;
    await answers(url);
  });
  after(async () => {
    daemon?.kill('SIGKILL');
    await browser?.close();
  });

  it('shows functions of the daemon, moving, and says whether all samples are there', async () => {
    const page = await open(browser, url);
    await page.waitForFunction(() => document.querySelector('#list')?.textContent.includes('ingest::'), null, {timeout: 20_000});
    assert.match(await page.textContent('#facts'), new RegExp(`^pid ${daemon.pid} · daemon`));
    assert.match(await page.textContent('#health'), /^(complete|dropped .*)$/);
    const total = await page.evaluate(() => sondePage.picture.tree.total);
    await page.waitForFunction(before => sondePage.picture.tree.total !== before, total, {timeout: 20_000});
    await page.keyboard.press('3');
    await page.click('#snapshot');
    await page.waitForFunction(() => document.querySelector('#list a')?.textContent.endsWith('.pb.gz'), null, {timeout: 20_000});
    await page.click('#list tbody tr td.name', {position: {x: 400, y: 5}});
    await page.waitForFunction(() => sondePage.state.snapshot !== '' && sondePage.picture.data.names.some(name => name.startsWith('ingest::')),
                               null, {timeout: 20_000});
    assert.deepEqual(page.faults, []);
    await page.close();
  });

  it('saves what it shows as a file that opens by itself', async () => {
    const svg = await (await fetch(url + 'api/flame?window=60&format=svg')).text();
    assert.match(svg, /<title>all \([\d.]+ (ms|s), 100\.00%\)<\/title>/);
    assert.equal((await fetch(url + 'api/flame?format=gif')).status, 400);
  });
});

describe('the page of a program with 100,000 stacks', {skip: process.env.SONDE_STACKS ? false : 'browser.served_stacks was not built'}, () => {
  let browser, program, url;
  before(async () => {
    browser = await launch();
    const port = await freePort();
    program = spawn(process.env.SONDE_STACKS, [String(port)], {stdio: ['pipe', 'ignore', 'inherit']});
    url = `http://127.0.0.1:${port}/`;
    await answers(url);
  });
  after(async () => {
    program?.stdin.end();
    await browser?.close();
  });

  it('says how much is left out, keeps the total, and draws an update in under 100 ms', async () => {
    const page = await open(browser, url + '#window=1');
    await page.waitForFunction(() => sondePage.picture.data !== null && sondePage.picture.tree.total > 0, null, {timeout: 60_000});
    await page.click('#freeze');
    const {total, inPicture, leftOut, times} = await page.evaluate(async () => {
      const text = await (await fetch('/api/flame?window=1')).text();
      const times = [];
      for (let i = 0; i < 9; ++i) {
        const began = performance.now();
        const json = JSON.parse(text);
        sondePage.picture.show(json);
        sondePage.functions.take(sondePage.picture.data, true);
        sondePage.functions.show();
        times.push(performance.now() - began);
      }
      const {data, tree} = sondePage.picture;
      const inPicture = JSON.parse(text).nodes.filter((frame, i) => i % 3 === 0 && frame >= 0).length;
      return {total: tree.total, inPicture, leftOut: data.leftOut, times};
    });
    // Ten levels of at most four callees each, and the root; 1 to 40 periods of 10 ms a stack.
    let nodes = 1;
    for (let level = 0; level < 10; ++level) nodes += Math.ceil(100_000 / 4 ** level);
    assert.equal(inPicture + leftOut, nodes);
    assert.ok(inPicture > 10_000 && inPicture <= 20_000, String(inPicture));
    assert.equal(total, 100_000 * 20.5 * 1e7);
    const grouped = String(leftOut).replace(/\B(?=(\d{3})+$)/g, ',');
    assert.ok((await page.textContent('#details')).includes(`${grouped} lightest left out`), await page.textContent('#details'));
    // The fastest: others may use the machine meanwhile.
    assert.ok(Math.min(...times) < 100, times.map(time => time.toFixed(0)).join(' '));
    console.log(`an update of ${inPicture} nodes took ${Math.min(...times).toFixed(0)} ms at best`);
    assert.deepEqual(page.faults, []);
    await page.close();
  });
});
