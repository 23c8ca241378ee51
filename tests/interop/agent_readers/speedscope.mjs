// speedscope.mjs FOLDER VIEW...: for each view the sum of the own weights that speedscope shows, as JSON, from VIEW.pb.gz and VIEW.folded.
import {readFileSync, writeFileSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {pathToFileURL} from 'node:url';
import {chromium} from 'playwright-core';

const [folder, ...views] = process.argv.slice(2);
const page_url = pathToFileURL(resolve('node_modules/speedscope/dist/release/index.html')).href;
const browser = await chromium.launch({
  executablePath: process.env.SONDE_CHROMIUM,
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'],
});
const sums = {};
for (const view of views) {
  for (const end of ['pb.gz', 'folded']) {
    const name = `${view}.${end}`;
    const loader = join(folder, `${name}.js`);
    const bytes = readFileSync(join(folder, name)).toString('base64');
    writeFileSync(loader, `speedscope.loadFileFromBase64(${JSON.stringify(name)}, ${JSON.stringify(bytes)})`);
    const page = await browser.newPage({viewport: {width: 1200, height: 20000}});
    const faults = [];
    page.on('pageerror', error => faults.push(String(error)));
    page.on('dialog', dialog => { faults.push(dialog.message()); return dialog.dismiss(); });
    await page.goto(`${page_url}#localProfilePath=${loader}`);
    await page.waitForFunction(title => document.title.startsWith(title), name, {timeout: 60000});
    await page.keyboard.press('3');  // The table of functions.
    await page.waitForFunction(() => /Symbol Name[^]*\(\S+%\)/.test(document.body.innerText));
    // "88 (85%) 88 (85%) name": with everything below it, and its own.
    const text = await page.evaluate(() => document.body.innerText.replace(/\s+/g, ' '));
    const own = [...text.matchAll(/\S+ \([<\d.]+%\) (\S+) \([<\d.]+%\)/g)].map(row => row[1]);
    sums[name] = faults.length > 0 ? faults.join('; ') : own;
    await page.close();
  }
}
await browser.close();
console.log(JSON.stringify(sums));
