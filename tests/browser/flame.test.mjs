// Saved flame graphs: what a reader can do with one.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';
import {pathToFileURL} from 'node:url';
import {draw, folder, launch, open} from './browser.mjs';

const STACKS = `main;serve;parse;lex 30
main;serve;parse 10
main;serve;write;copy 20
main;load;parse;lex 25
main;load;idle 14
main;tiny 1
`;

let browser;
before(async () => { browser = await launch(); });
after(async () => { await browser?.close(); });

const details = page => page.textContent('.details');
const found = page => page.textContent('.found');
const settled = page => page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));

// The middle of the frame that the names lead to.
async function placeOf(page, path) {
  return page.evaluate(names => {
    const {view} = sondeFlame.file;
    const {tree} = view;
    const node = tree.follow(names);
    const box = view.canvas.getBoundingClientRect();
    const scale = box.width / tree.width[view.root];
    const row = view.layout === 'icicle' ? tree.depth[node] : tree.rows.length - 1 - tree.depth[node];
    return {x: box.left + (tree.x[node] + tree.width[node] / 2 - tree.x[view.root]) * scale,
            y: box.top + row * 18 + 9 - view.box.scrollTop};
  }, path);
}

async function click(page, path) {
  const {x, y} = await placeOf(page, path);
  await page.mouse.click(x, y);
  await settled(page);
}

const zoomed = page => page.evaluate(() => sondeFlame.file.tree.pathOf(sondeFlame.file.view.root).join(';'));

for (const kind of ['svg', 'html']) {
  describe(`a flame graph as .${kind}`, () => {
    let url;
    before(() => { url = draw(`graph.${kind}`, STACKS, '--title', 'A graph'); });

    it('opens with the whole, a title and the hottest functions', async () => {
      const page = await open(browser, url);
      assert.equal(await page.title(), 'A graph');
      assert.match(await details(page), /^all100 samples: 100\.0.% of total/);
      assert.match(await page.textContent('.hot'), /^Hottestlex 55\.0.%copy 20\.0.%idle 14\.0.%parse 10\.0.%/);
      assert.deepEqual(page.faults, []);
      await page.close();
    });

    it('zooms on click, steps back on Escape and shows all on reset', async () => {
      const page = await open(browser, url);
      await click(page, ['main', 'serve']);
      assert.equal(await zoomed(page), 'main;serve');
      assert.match(await details(page), /^serve60 samples: 60\.0.% of total, 100\.0.% of view/);
      await click(page, ['main', 'serve', 'parse']);
      assert.equal(await zoomed(page), 'main;serve;parse');
      await page.keyboard.press('Escape');
      assert.equal(await zoomed(page), 'main;serve');
      await page.click('text=Reset');
      assert.equal(await zoomed(page), '');
      assert.deepEqual(page.faults, []);
      await page.close();
    });

    it('tells what a frame costs when the mouse is on it', async () => {
      const page = await open(browser, url);
      const {x, y} = await placeOf(page, ['main', 'serve', 'parse']);
      await page.mouse.move(x, y);
      await settled(page);
      assert.match(await details(page), /^parse40 samples: 40\.0.% of totalself 10 samples \(10\.0.%\)/);
      await page.close();
    });

    it('finds by pattern, counting each stack once, of total and of view', async () => {
      const page = await open(browser, url);
      await page.keyboard.press('/');
      await page.keyboard.type('^(parse|lex)$');
      assert.match(await found(page), /^matched 65\.0.% of total$/);
      await page.keyboard.press('Enter');
      await click(page, ['main', 'serve']);
      assert.match(await found(page), /^matched 65\.0.% of total, 66\.7.% of view$/);
      await page.close();
    });

    it('says that a pattern is invalid, and takes it as text when asked', async () => {
      const page = await open(browser, url);
      await page.fill('input[type=search]', 'parse(');
      assert.match(await found(page), /^invalid pattern/);
      assert.equal(await page.getAttribute('input[type=search]', 'aria-invalid'), 'true');
      await page.click('text=.*');
      assert.match(await found(page), /^matched 0\.00.% of total$/);
      assert.deepEqual(page.faults, []);
      await page.close();
    });

    it('keeps zoom, search and switches in the address', async () => {
      const page = await open(browser, url);
      await click(page, ['main', 'load']);
      await page.fill('input[type=search]', 'lex');
      await page.keyboard.press('Enter');
      await page.keyboard.press('o');
      const address = page.url();
      await page.close();
      const again = await open(browser, address);
      assert.equal(await zoomed(again), 'main;load');
      assert.equal(await again.locator('input[type=search]').evaluate(input => input.value), 'lex');
      assert.match(await found(again), /of view$/);
      assert.equal(await again.locator('select[aria-label^=Order]').evaluate(select => select.value), 'weight');
      await again.keyboard.press('r');
      assert.equal(new URL(again.url()).hash, '#order=weight');
      await again.close();
    });
  });
}

describe('the viewer', () => {
  it('turns the stacks around, and back', async () => {
    const page = await open(browser, draw('turn.svg', STACKS));
    await page.click('text=Callers');
    const weights = await page.evaluate(() => {
      const {tree} = sondeFlame.file;
      return ['lex', 'copy', 'idle', 'parse', 'tiny'].map(name => tree.nodeTotal[tree.follow([name])]);
    });
    assert.deepEqual(weights, [55, 20, 14, 10, 1]);
    assert.equal(await page.evaluate(() => sondeFlame.file.tree.nodeTotal[sondeFlame.file.tree.follow(['lex', 'parse', 'serve'])]), 30);
    await page.click('text=Callers');
    assert.equal(await page.evaluate(() => sondeFlame.file.tree.nodeTotal[sondeFlame.file.tree.follow(['main', 'serve'])]), 60);
    await page.close();
  });

  it('opens turned around when it was drawn so', async () => {
    const page = await open(browser, draw('callers.svg', STACKS, '--callers', '--layout', 'flame'));
    assert.equal(await page.evaluate(() => sondeFlame.file.tree.nodeTotal[sondeFlame.file.tree.follow(['lex', 'parse', 'serve'])]), 30);
    await click(page, ['lex']);
    assert.equal(await zoomed(page), 'lex');
    assert.match(await page.textContent('.hot'), /^Hottestlex 55\.0.%/);
    await page.close();
  });

  it('is walked with the keyboard', async () => {
    const page = await open(browser, draw('keys.svg', STACKS));
    await page.focus('.graph');
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowLeft', 'Enter']) await page.keyboard.press(key);
    assert.equal(await zoomed(page), 'main;load');
    await page.keyboard.press('ArrowUp');
    assert.equal(await zoomed(page), 'main');
    await page.keyboard.press('?');
    assert.equal(await page.isVisible('.keys'), true);
    await page.close();
  });

  it('takes keys from wherever the focus is', async () => {
    for (const kind of ['svg', 'html']) {
      const page = await open(browser, draw(`fresh.${kind}`, STACKS));
      for (const key of ['ArrowDown', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
      assert.equal(await zoomed(page), 'main;serve');
      assert.match(page.url(), /#zoom=/);
      await page.keyboard.press('Escape');
      await page.focus('.controls .toggle');
      await page.keyboard.press('Enter');
      assert.equal(await page.getAttribute('.controls .toggle', 'aria-pressed'), 'true');
      for (const key of ['ArrowDown', 'Enter']) await page.keyboard.press(key);
      assert.notEqual(await zoomed(page), '');
      assert.equal(await page.getAttribute('.controls .toggle', 'aria-pressed'), 'true');
      await page.close();
    }
  });

  it('is dark where the system is, and as one asks', async () => {
    const paper = page => page.evaluate(() => getComputedStyle(document.querySelector('.app')).backgroundColor);
    const url = draw('dark.svg', STACKS);
    const dark = await open(browser, url, {colorScheme: 'dark'});
    assert.equal(await paper(dark), 'rgb(23, 23, 26)');
    await dark.selectOption('select[aria-label^=Light]', 'light');
    assert.equal(await paper(dark), 'rgb(252, 251, 249)');
    await dark.close();
    const light = await open(browser, url, {colorScheme: 'light'});
    assert.equal(await paper(light), 'rgb(252, 251, 249)');
    await light.close();
    const always = await open(browser, draw('always.svg', STACKS, '--scheme', 'dark'), {colorScheme: 'light'});
    assert.equal(await paper(always), 'rgb(23, 23, 26)');
    await always.close();
  });

  it('is a picture without script', async () => {
    const page = await open(browser, draw('still.svg', STACKS), {javaScriptEnabled: false});
    const text = await page.content();
    assert.match(text, /<title>parse \(40 samples, 40\.00%\)<\/title>/);
    assert.match(text, /Hottest: lex 55\.00%/);
    await page.close();
  });

  it('counts frames that are too narrow to draw in what a search matched', async () => {
    let folded = 'main;wide 1000000\n';
    for (let i = 0; i < 2000; ++i) folded += `main;narrow${i} 5\n`;
    const page = await open(browser, draw('narrow.svg', folded));
    await page.fill('input[type=search]', '^narrow');
    assert.match(await found(page), /^matched 0\.99.% of total$/);
    await settled(page);
    assert.match(await page.textContent('.narrow-note'), /^2.000 frames in sight under ½ px$/);
    await page.close();
  });

  it('draws a stack of 3,000 frames, to its end', async () => {
    const page = await open(browser, draw('deep.svg', 'recurse;'.repeat(3000) + 'leaf 5\n'));
    const began = Date.now();
    await page.fill('input[type=search]', 'leaf');
    assert.match(await found(page), /^matched 100\.0.% of total$/);
    await page.evaluate(() => { const {box} = sondeFlame.file.view; box.scrollTop = box.scrollHeight; });
    await settled(page);
    const {x, y} = await placeOf(page, [...Array(3000).fill('recurse'), 'leaf']);
    await page.mouse.move(x, y);
    await settled(page);
    assert.match(await details(page), /^leaf5 samples: 100\.0.% of total/);
    assert.ok(Date.now() - began < 10_000);
    await page.close();
  });

  it('stays usable with more than 100,000 frames', async () => {
    let folded = '';
    let seed = 1;
    const random = n => (seed = (seed * 48271) % 2147483647) % n;
    for (let i = 0; i < 60_000; ++i) folded += `main;a${random(40)};b${random(900)};c${random(9000)};d${i} ${1 + random(100)}\n`;
    const page = await open(browser, draw('huge.html', folded));
    const frames = await page.evaluate(() => sondeFlame.file.tree.size);
    assert.ok(frames > 100_000, String(frames));
    await page.fill('input[type=search]', 'c12');
    await page.click('text=Callers');
    await settled(page);
    assert.match(await found(page), /^matched \d/);
    assert.deepEqual(page.faults, []);
    await page.close();
  });

  it('does what names say only as text', async () => {
    const evil = 'a;</script><script>document.title="broken"</script>;<img src=x onerror=alert(1)>;]]> 7\n';
    for (const kind of ['svg', 'html']) {
      const page = await open(browser, draw(`evil.${kind}`, evil, '--title', '<b>&"'));
      assert.equal(await page.title(), '<b>&"');
      assert.equal(await page.textContent('.hot code'), ']]>');
      assert.equal(await page.locator('img').count(), 0);
      assert.deepEqual(page.faults, []);
      await page.close();
    }
  });

  it('shortens names as the picture does', async () => {
    const page = await open(browser, draw('names.svg', STACKS));
    const cases = readFileSync(join(process.env.SONDE_SOURCE, 'tests/flame/names.tsv'), 'utf8').trimEnd().split('\n');
    for (const line of cases) {
      const [name, room, expected] = line.split('\t');
      assert.equal(await page.evaluate(([n, r]) => sondeFlame.shortName(n, r), [name, Number(room)]), expected);
    }
    await page.close();
  });

  it('writes amounts of money as dollars', async () => {
    const page = await open(browser, draw('money.svg', STACKS));
    for (const [amount, expected] of [[1204500000000, '$1,204.50'], [999999995000, '$1,000.00'], [-630765700, '-$0.6308'], [750, '$0.000000750'], [0, '$0.00']]) {
      assert.equal(await page.evaluate(value => sondeFlame.formatWeight(value, {type: 'cost', unit: 'nanodollars'}), amount), expected);
    }
    await page.close();
  });

  it('stands inside a page of someone else', async () => {
    const svg = readFileSync(new URL(draw('inner.svg', STACKS)), 'utf8').replace(/^<\?xml.*\?>/, '');
    const file = join(folder, 'outer.html');
    writeFileSync(file, `<!doctype html><title>wiki</title><h1>Report</h1><div>${svg}</div><p id="after">after</p>`);
    const page = await open(browser, pathToFileURL(file).href);
    assert.equal(await page.textContent('#after'), 'after');
    await click(page, ['main', 'serve']);
    assert.equal(await zoomed(page), 'main;serve');
    assert.equal(await page.title(), 'wiki');
    await page.close();
  });
});

describe('a difference', () => {
  it('tells old, new and change, and shows what vanished', async () => {
    const base = join(folder, 'base.folded'), now = join(folder, 'now.folded'), out = join(folder, 'diff.svg');
    writeFileSync(base, 'main;same 10\nmain;less 8\nmain;gone 5\n');
    writeFileSync(now, 'main;same 10\nmain;less 2\nmain;fresh 4\n');
    execFileSync(process.env.SONDE_PROGRAM, ['diff', base, now, '-o', out]);
    const page = await open(browser, pathToFileURL(out).href);
    const at = async path => {
      const {x, y} = await placeOf(page, path);
      await page.mouse.move(x, y);
      await settled(page);
      return details(page);
    };
    assert.match(await at(['main', 'less']), /base 8 samples−6 samples \(−75\.0.%\)/);
    assert.match(await at(['main', 'gone']), /^gone0 samples.*base 5 samples−5 samples \(gone\)/);
    assert.match(await at(['main', 'fresh']), /\+4 samples \(new\)/);
    assert.match(await page.textContent('.hot'), /^Changed mostless −6 samples/);
    await page.close();
  });
});
