// Chromium for the tests: one process a file, one fresh page a test.
import {execFileSync} from 'node:child_process';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {chromium} from 'playwright-core';

export const folder = mkdtempSync(join(tmpdir(), 'sonde-browser-'));
process.on('exit', () => rmSync(folder, {recursive: true, force: true, maxRetries: 3}));

export async function launch() {
  return chromium.launch({
    executablePath: process.env.SONDE_CHROMIUM ?? '/usr/bin/chromium',
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
           '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
}

// A page on which any uncaught error fails the test that reads `page.faults`.
export async function open(browser, url, options = {}) {
  const page = await browser.newPage({viewport: {width: 1200, height: 700}, ...options});
  page.faults = [];
  page.on('pageerror', error => page.faults.push(error.stack));
  page.on('request', request => {
    if (!/^(file|data|blob):|^http:\/\/127\.0\.0\.1[:/]/.test(request.url())) page.faults.push('asked for ' + request.url());
  });
  await page.goto(url);
  return page;
}

// Draws folded stacks with the program; returns the file's URL.
export function draw(name, folded, ...options) {
  const input = join(folder, name.replace(/\.\w+$/, '.folded'));
  const output = join(folder, name);
  writeFileSync(input, folded);
  execFileSync(process.env.SONDE_PROGRAM, ['flame', input, '-o', output, ...options]);
  return pathToFileURL(output).href;
}
