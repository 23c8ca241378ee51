// The live page, against a stand-in for the process.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {after, afterEach, before, beforeEach, describe, it} from 'node:test';
import {launch, open} from './browser.mjs';
import {manyStacks, MockServer, snapshotOf, taskOf} from './mock_server.mjs';

let browser, mock, url;
before(async () => { browser = await launch(); });
after(async () => { await browser?.close(); });
beforeEach(async () => {
  mock = new MockServer(process.env.SONDE_SOURCE);
  mock.stacks = [['main;run;accept;read', 30e6], ['main;run;flush;write', 70e6]];
  mock.taskStacks = new Map([['2', [['main;run;flush;write', 70e6]]]]);
  mock.tasks = [taskOf(1, 'accept', 3e8), taskOf(2, 'flush', 7e8)];
  mock.snapshots = [snapshotOf(2), snapshotOf(1)];
  url = await mock.start();
});
afterEach(() => mock.stop());

const rows = page => page.locator('#list tbody tr').allTextContents();
const wait = (page, check, argument) => page.waitForFunction(check, argument, {timeout: 5000});
// What "save as…" writes: the name of the file and its text.
async function saved(page, kind) {
  const [download] = await Promise.all([page.waitForEvent('download', {timeout: 5000}), page.selectOption('#save', kind)]);
  return [download.suggestedFilename(), readFileSync(await download.path(), 'latin1')];
}
const offered = page => page.$$eval('#save option', options => options.filter(({disabled, value}) => !disabled && value !== '').map(({value}) => value));
const hasRow = (page, text) => wait(page, wanted => document.querySelector('#list')?.textContent.includes(wanted), text);

describe('the live page', () => {
  it('says at once what the process is, that nothing was lost, and which function is hot', async () => {
    const page = await open(browser, url);
    await hasRow(page, 'write');
    assert.equal(await page.textContent('#program'), 'served');
    assert.match(await page.textContent('#facts'), /^pid 4711 · daemon · up 1\.3\d min/);
    await wait(page, () => /^CPU 75\.0 % · 100 samples\/s$/.test(document.querySelector('#cpu').textContent));
    assert.equal(await page.textContent('#health'), 'complete');
    assert.match((await rows(page))[0], /^70\.0.%70 ms70\.0.%write/);
    assert.match(await page.textContent('#details'), /^all100 ms: 100\.0.% of window/);
    assert.deepEqual(page.faults, []);
    await page.close();
  });

  it('follows the process, and holds still when frozen', async () => {
    const page = await open(browser, url);
    await hasRow(page, 'write');
    mock.stacks = [['main;run;fresh', 5e6]];
    await hasRow(page, 'fresh');
    await page.keyboard.press('f');
    await page.waitForTimeout(600);
    const asked = mock.flames;
    mock.stacks = [['main;run;later', 5e6]];
    await page.waitForTimeout(1200);
    assert.equal(mock.flames, asked);
    assert.match((await rows(page)).join(), /fresh/);
    await page.keyboard.press('f');
    await hasRow(page, 'later');
    await page.close();
  });

  it('filters everything to a task, shows it as a chip, and reproduces the view from its address', async () => {
    const page = await open(browser, url);
    await page.click('#tab-tasks');
    await hasRow(page, 'flush');
    await page.click('tr[data-key="2"] td.name');
    await wait(page, () => sondePage.picture.data?.names.length === 5);
    assert.match(await page.textContent('#chips'), /task 2 flush/);
    assert.match(await page.textContent('#details'), /of selection/);
    assert.match(await page.textContent('#task'), /request = \/search/);
    await wait(page, () => document.querySelectorAll('#task .histogram').length === 2);
    assert.match(await page.textContent('#task'), /poll times, longest 9\.10 ms.*scheduled times, longest 70\.0 µs/s);
    assert.equal(await page.locator('#task .histogram').first().locator('[role=row]').count(), 13);
    await page.click('#tab-functions');
    await hasRow(page, 'write');
    assert.match((await rows(page))[0], /^100\.0.%70 ms/);
    const address = page.url();
    await page.close();
    const again = await open(browser, address);
    await wait(again, () => sondePage.picture.data?.names.length === 5);
    await again.click('#chips .chip');
    await wait(again, () => sondePage.picture.data?.names.length === 7);
    assert.equal(new URL(again.url()).hash, '');
    assert.deepEqual(again.faults, []);
    await again.close();
  });

  it('asks for the window and compares with an earlier one', async () => {
    mock.baseStacks = [['main;run;accept;read', 90e6]];
    const page = await open(browser, url);
    await page.click('text=60 s');
    await page.selectOption('#base', '300');
    await wait(page, () => sondePage.picture.data?.isDifference);
    assert.deepEqual(mock.lastQuery, {window: '60', base: '300'});
    await page.close();
  });

  it('says how much time the picture covers, and that there is nothing to compare with', async () => {
    mock.baseStacks = [['main;run;accept;read', 90e6]];
    const page = await open(browser, url + '#window=1200');
    await wait(page, () => document.querySelector('#span').textContent === 'over 9.98 s');
    mock.baseCovered = 2.5e9;
    await page.selectOption('#base', '60');
    await wait(page, () => document.querySelector('#span').textContent === 'over 9.98 s, before over 2.50 s, scaled to the same time');
    assert.equal(await page.isHidden('#notice'), true);
    mock.baseCovered = 0;
    await wait(page, () => /^Nothing is kept of that time/.test(document.querySelector('#notice').textContent));
    assert.equal(await page.evaluate(() => sondePage.picture.data.isDifference), false);
    assert.equal(await page.textContent('#span'), 'over 9.98 s');
    await page.selectOption('#base', '');
    await wait(page, () => document.querySelector('#notice').hidden);
    await page.close();
  });

  it('shows one thread or one label alone', async () => {
    const valuesOf = (...names) => names.map(value => ({value, weight: 1}));
    mock.labels = [{key: 'request', values: valuesOf('/search', '/a=b "c"')}, {key: 'task_id', values: valuesOf('1')},
                   {key: 'thread', values: valuesOf('worker')}];
    const page = await open(browser, url);
    await wait(page, () => document.querySelectorAll('#only option').length === 4);
    await page.selectOption('#only', {label: 'worker'});
    await wait(page, () => /thread worker/.test(document.querySelector('#chips').textContent));
    await page.waitForTimeout(700);
    assert.deepEqual(mock.lastQuery, {window: '10', thread: 'worker'});
    await page.selectOption('#only', {label: '/a=b "c"'});
    await page.waitForTimeout(700);
    assert.deepEqual(mock.lastQuery, {window: '10', label: 'request=/a=b "c"'});
    const address = page.url();
    await page.click('#chips .chip');
    await wait(page, () => document.querySelector('#only').value === '');
    await page.close();
    mock.labels = [];  // What is chosen stays in the list without samples.
    const again = await open(browser, address);
    await wait(again, () => document.querySelector('#only').selectedOptions[0].textContent === 'request=/a=b "c"');
    assert.deepEqual(again.faults, []);
    await again.close();
  });

  it('filters the tasks by what stands in a column', async () => {
    const page = await open(browser, url + '#tab=tasks');
    await hasRow(page, 'flush');
    await page.fill('#filter', 'state:running');
    await wait(page, () => document.querySelector('#count').textContent === '1 of 2');
    assert.match((await rows(page)).join(), /accept/);
    await page.fill('#filter', 'flush state:running');
    await hasRow(page, 'Nothing matches the filter.');
    await page.close();
  });

  it('finds functions, also those whose names are no patterns', async () => {
    mock.stacks = [['main;f(int', 1e6], ['main;g', 3e6]];
    const page = await open(browser, url);
    await hasRow(page, 'f(int');
    await page.keyboard.press('/');
    await page.keyboard.type('f(int');
    assert.match(await page.textContent('#found'), /^as text: matched 25\.0.% of window$/);
    await page.keyboard.press('Escape');
    await page.click('td.name:has-text("f(int")');
    assert.match(await page.textContent('#found'), /^matched 25\.0.% of window$/);
    assert.deepEqual(page.faults, []);
    await page.close();
  });

  it('says loudly what was dropped, and opens the account', async () => {
    mock.status.sampler = {...mock.status.sampler, taken: 1000, written: 997, dropped: 3, process_cpu_ns: 60e9, lost_blocked_ns: 6e9, unexplained_ns: -1386961};
    mock.nameless = new Map([['read', 'libx.so.1']]);
    const page = await open(browser, url);
    await wait(page, () => /^dropped 0\.3 %, blind to (10|9)\.\d %$/.test(document.querySelector('#health').textContent));
    await page.click('#health');
    assert.match(await page.textContent('#account'), /dropped3/);
    assert.match(await page.textContent('#account'), /CPU time unexplained−1\.39.ms/);
    assert.match(await page.textContent('#account'), /CPU time of threads that block SIGPROF6\.00.s/);
    assert.match(await page.textContent('#notice'), /^No names for libx\.so\.1, 30\.0.% of the picture/);
    await page.close();
  });

  it('says that snapshots cannot be written, and why', async () => {
    mock.snapshots = [];
    mock.status.snapshots = {written: 0, failures: 0, samples_lost: 0, problem: ''};
    const page = await open(browser, url + '#tab=snapshots');
    await hasRow(page, 'No snapshots yet.');
    mock.status.snapshots = {written: 4, failures: 2, samples_lost: 40, problem: 'No space left on device'};
    await wait(page, () => document.querySelector('#notice').textContent === 'Snapshots cannot be written, it is tried again: No space left on device.');
    await hasRow(page, 'No snapshots: they cannot be written. No space left on device.');
    assert.equal(await page.textContent('#health'), 'snapshots fail');
    await page.click('#health');
    assert.match(await page.textContent('#account'), /snapshots4 written, 2 could not be/);
    mock.status.snapshots = {...mock.status.snapshots, written: 5, problem: ''};
    await wait(page, () => document.querySelector('#health').textContent === 'complete');
    assert.equal(await page.isHidden('#notice'), true);
    assert.deepEqual(page.faults, []);
    await page.close();
  });

  it('says what became of pushed profiles, and why pushing fails', async () => {
    mock.status.push = {engine: 'pyroscope', taken: 12, pushed: 9, dropped: 1, failures: 4, waiting: 2, problem: 'nobody answers'};
    const page = await open(browser, url);
    await wait(page, () => /^Pushing to pyroscope fails, it is tried again: nobody answers\.$/.test(document.querySelector('#notice').textContent));
    await page.click('#health');
    assert.match(await page.textContent('#account'), /pushed to pyroscope9 of 12 profiles, 1 dropped, 2 waiting/);
    mock.status.push = {...mock.status.push, problem: ''};
    await wait(page, () => document.querySelector('#notice').hidden);
    await page.close();
  });

  it('says that the process is idle, and how often samples come', async () => {
    mock.stacks = [];
    mock.load = 0;
    const page = await open(browser, url);
    await wait(page, () => /The process is idle/.test(document.querySelector('#empty').textContent));
    await page.close();
  });

  it('says that sampling has just begun, which is not that the process is idle', async () => {
    mock.stacks = [];
    mock.load = 0;
    mock.subtitle = ['0.00 s in 0 samples', 'Nothing yet: samples are kept from this request on'];
    const page = await open(browser, url);
    await hasRow(page, 'Sampling of this window has just begun.');
    await wait(page, () => /^Sampling of this window has just begun/.test(document.querySelector('#empty').textContent));
    mock.subtitle = [];
    await wait(page, () => /The process is idle/.test(document.querySelector('#empty').textContent));
    await hasRow(page, 'Nothing was sampled in this window.');
    await page.close();
  });

  it('says what an empty list means', async () => {
    mock.tasks = [];
    mock.snapshots = [];
    const page = await open(browser, url + '#tab=tasks&sort=no-such-column');
    await hasRow(page, 'No tasks.');
    assert.equal(await page.isVisible('#list table'), false);
    await page.keyboard.press('3');
    await hasRow(page, 'No snapshots yet.');
    await page.keyboard.press('1');
    await hasRow(page, 'write');
    await page.fill('#filter', 'no such function');
    await hasRow(page, 'Nothing matches the filter.');
    assert.deepEqual(page.faults, []);
    await page.close();
  });

  it('can be used without a mouse, also while rows change their order', async () => {
    const page = await open(browser, url);
    await hasRow(page, 'write');
    await page.focus('tr[data-key="write"]');
    mock.stacks = [['main;run;accept;read', 90e6], ['main;run;flush;write', 10e6]];
    await wait(page, () => document.querySelector('#list tbody tr').dataset.key === 'read');
    assert.equal(await page.evaluate(() => document.activeElement.dataset.key), 'write');
    await page.keyboard.press('ArrowUp');
    assert.equal(await page.evaluate(() => document.activeElement.dataset.key), 'read');
    await page.keyboard.press('Enter');
    await wait(page, () => /matched 90\.0/.test(document.querySelector('#found').textContent));
    await page.focus('#graph');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await wait(page, () => /of zoom/.test(document.querySelector('#details').textContent) || sondePage.picture.view.root > 0);
    await page.keyboard.press('Escape');
    await wait(page, () => sondePage.picture.view.root === 0);
    assert.deepEqual(page.faults, []);
    await page.close();
  });

  it('keeps what it had when the connection is lost, and goes on when it is back', async () => {
    const page = await open(browser, url);
    await hasRow(page, 'write');
    const port = mock.port;
    await mock.stop();
    await wait(page, () => document.body.classList.contains('is-lost'));
    assert.match(await page.textContent('#health'), /connection lost/);
    assert.match((await rows(page)).join(), /write/);
    mock = new MockServer(process.env.SONDE_SOURCE);
    mock.stacks = [['main;back', 1e6]];
    await mock.start(port);
    await hasRow(page, 'back');
    await wait(page, () => document.querySelector('#health').textContent === 'complete');
    assert.deepEqual(page.faults, []);
    await page.close();
  });

  it('lists snapshots, writes one, and compares two, the older first', async () => {
    const page = await open(browser, url);
    await page.keyboard.press('3');
    await hasRow(page, 'daemon-profile');
    assert.equal(await page.textContent('#snapshots-notice'), 'Look before you hand one on: raw names.');
    await page.click('#snapshot');
    await page.waitForFunction(() => document.querySelectorAll('#list tbody tr').length === 3);
    assert.equal(await page.isDisabled('#compare'), true);
    const boxes = page.locator('#list input[type=checkbox]');
    await boxes.nth(0).check();
    await boxes.nth(1).check();
    await page.click('#compare');
    await wait(page, () => sondePage.picture.data?.isDifference);
    assert.match(await page.textContent('#chips'), /-3\.pb\.gz since .*-2\.pb\.gz/);
    assert.equal(await page.evaluate(() => sondePage.picture.tree.nodeTotal[sondePage.picture.tree.follow(['main', 'now'])]), 30);
    assert.equal(await page.evaluate(() => sondePage.picture.tree.baseTotal[sondePage.picture.tree.follow(['main', 'then'])]), 20);
    assert.deepEqual(page.faults, []);
    await page.close();
  });

  it('saves what is shown: the picture that is held, a snapshot, a comparison', async () => {
    mock.stacks = [['main;run;a;b', 30e6], ['main;run', 70e6], ['main;odd;two\tnames', 5]];
    const page = await open(browser, url);
    await hasRow(page, 'run');
    assert.deepEqual(await offered(page), ['pprof', 'svg', 'html', 'folded']);
    await page.keyboard.press('f');
    await page.waitForTimeout(600);
    mock.stacks = [['main;later', 5e6]];
    assert.deepEqual(await saved(page, 'folded'),
                     ['flame.folded', 'main;odd;two names 5\nmain;run 70000000\nmain;run;a;b 30000000\n']);
    assert.deepEqual(await offered(page), ['folded']);
    assert.match(await page.getAttribute('#save [value=svg]', 'title'), /live window alone/);
    await page.keyboard.press('c');  // Callers: the stacks stay what they were.
    assert.match((await saved(page, 'folded'))[1], /^main;run;a;b 30000000$/m);
    await page.keyboard.press('c');
    await page.keyboard.press('f');
    await hasRow(page, 'later');
    assert.deepEqual(await saved(page, 'folded'), ['flame.folded', 'main;later 5000000\n']);

    const [older, newer] = [snapshotOf(1).name, snapshotOf(2).name];
    const bare = newer.replace('.pb.gz', '');
    await page.evaluate(snapshot => sondePage.state.set({snapshot}), newer);
    await hasRow(page, 'same');
    assert.deepEqual(await saved(page, 'folded'), [bare + '.folded', 'main;now 30\nmain;same 10\n']);
    assert.deepEqual(await offered(page), ['pprof', 'folded']);
    const [name, bytes] = await saved(page, 'pprof');
    assert.equal(name, newer);
    assert.ok(bytes.startsWith('\x1f\x8b'));

    await page.evaluate(against => sondePage.state.set({against}), older);
    await wait(page, () => sondePage.picture.data?.isDifference);
    assert.deepEqual(await saved(page, 'folded'), ['difference.folded', 'main;now 30\nmain;then -20\n']);
    assert.deepEqual(await offered(page), ['folded']);
    assert.deepEqual(page.faults, []);
    await page.close();
  });

  it('saves a comparison with an earlier window as what changed', async () => {
    mock.stacks = [['main;a', 30], ['main;b', 5]];
    mock.baseStacks = [['main;a', 40], ['main;b', 5]];
    const page = await open(browser, url + '#base=60');
    await wait(page, () => sondePage.picture.data?.isDifference);
    assert.deepEqual(await saved(page, 'folded'), ['flame.folded', 'main;a -10\n']);
    assert.deepEqual(await offered(page), ['pprof', 'svg', 'html', 'folded']);
    await page.close();
  });

  it('scales the older snapshot to the time of the newer one', async () => {
    mock.newSpan = 15e9;
    const page = await open(browser, url + `#snapshot=${snapshotOf(2).name}&against=${snapshotOf(1).name}`);
    await wait(page, () => sondePage.picture.data?.isDifference);
    assert.equal(await page.evaluate(() => sondePage.picture.tree.baseTotal[sondePage.picture.tree.follow(['main', 'then'])]), 5);
    assert.equal(await page.textContent('#span'), 'over 15.0 s, before over 1.00 min, scaled to the same time');
    await page.close();
  });

  it('redraws a large picture and 1,000 tasks, and says what it took', async () => {
    mock.stacks = manyStacks(4_500);  // About the 20,000 nodes that an answer holds.
    mock.tasks = Array.from({length: 1000}, (_, i) => taskOf(i + 1, 'session ' + i, (i * 7919) % 1e9));
    const page = await open(browser, url);
    await hasRow(page, 'json::Parse');
    const cost = await page.evaluate(async () => {
      const json = await (await fetch('/api/flame?window=10')).json();
      const times = [];
      for (let i = 0; i < 7; ++i) {
        const began = performance.now();
        sondePage.picture.show(json);
        sondePage.functions.take(sondePage.picture.data, true);
        sondePage.functions.show();
        times.push(performance.now() - began);
      }
      return times.sort((a, b) => a - b)[3];
    });
    console.log(`an update took ${cost.toFixed(0)} ms`);
    await page.keyboard.press('2');
    await page.fill('#filter', 'session 99');
    assert.match(await page.textContent('#count'), /^11 of 1.000$/);
    assert.deepEqual(page.faults, []);
    await page.close();
  });

  it('fits a narrow screen', async () => {
    const page = await open(browser, url, {viewport: {width: 400, height: 800}});
    await hasRow(page, 'write');
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= 400));
    await page.close();
  });
});
