// Runs the explorer's module in Chromium and prints, for each world, how long it
// takes at best in ms, and what came of it, with tabs between them. Called by
// `cargo xtask bench explore` with the folder that the module is in.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { chromium } from '@playwright/test';

const RUNS = 15;
const TYPES = { js: 'text/javascript', wasm: 'application/wasm' };
const folder = process.argv[2];
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'],
});
try {
  const page = await browser.newPage();
  // Nothing listens: the files are handed to the page. Isolated, it has a clock of 5 µs.
  await page.route('**/*', async (route) => {
    const file = new URL(route.request().url()).pathname.slice(1);
    const headers = {
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-embedder-policy': 'require-corp',
      'content-type': TYPES[file.split('.').at(-1)] ?? 'text/html',
    };
    const body = file ? await readFile(join(folder, file)) : '<!doctype html><title>explore</title>';
    await route.fulfill({ headers, body });
  });
  await page.goto('http://localhost/');
  const lines = await page.evaluate(async (runs) => {
    const module = await import('/explore.js');
    await module.default({ module_or_path: '/explore.wasm' });
    const lines = [];
    for (let world = 0; world < module.worlds(); world += 1) {
      let [best, said] = [Infinity, ''];
      for (let run = 0; run < runs; run += 1) {
        const start = performance.now();
        said = module.verdict(world);
        best = Math.min(best, performance.now() - start);
      }
      lines.push([module.name(world), best, said].join('\t'));
    }
    return lines;
  }, RUNS);
  console.log(`Chromium ${browser.version()}`);
  for (const line of lines) console.log(line);
} finally {
  await browser.close();
}
