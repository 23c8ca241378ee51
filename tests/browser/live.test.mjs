// The page of a real process: the example daemon.
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

describe('the page of a daemon', {skip: process.env.SONDE_DAEMON ? false : 'the example daemon was not built'}, () => {
  let browser, daemon, url;
  before(async () => {
    browser = await launch();
    const port = await freePort();
    daemon = spawn(process.env.SONDE_DAEMON, ['--seconds', '60', '--directory', folder], {
      env: {...process.env, SONDE_CONSOLE_HTTP_PORT: String(port), SONDE_CONSOLE_PORT: '0'}, stdio: 'ignore'});
    url = `http://127.0.0.1:${port}/`;
    for (let i = 0; i < 100; ++i) {
      if (await fetch(url).then(answer => answer.ok, () => false)) return;
      await new Promise(done => setTimeout(done, 100));
    }
    assert.fail('the daemon does not answer');
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
