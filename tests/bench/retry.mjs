// Runs the retry studio's model in Chromium and prints, for each case, how long it takes
// at best in ms, what came of it, and the longest slice of that run in ms, with tabs
// between them. The slices are those of the page: 8 ms of work, then the page's turn.
// Called by `cargo xtask bench retry` with the folder that the module is in.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { chromium } from '@playwright/test';

const RUNS = 3;
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
    const body = file ? await readFile(join(folder, file)) : '<!doctype html><title>retry</title>';
    await route.fulfill({ headers, body });
  });
  await page.goto('http://localhost/');
  const lines = await page.evaluate(async (runs) => {
    const module = await import('/retry.js');
    await module.default({ module_or_path: '/retry.wasm' });
    const turn = () => new Promise((resolve) => setTimeout(resolve, 0));
    const lines = [];
    for (let number = 0; number < module.cases(); number += 1) {
      let best = { took: Infinity, longest: 0, said: '', name: '' };
      for (let run = 0; run < runs; run += 1) {
        const start = performance.now();
        const it = new module.Case(number);
        let longest = 0;
        for (let done = false; !done; ) {
          const slice = performance.now();
          do done = it.step(10_000);
          while (!done && performance.now() - slice < 8);
          longest = Math.max(longest, performance.now() - slice);
          if (!done) await turn();
        }
        const took = performance.now() - start;
        if (took < best.took) best = { took, longest, said: it.verdict(), name: it.name() };
        it.free();
        await turn();
      }
      lines.push([best.name, best.took, best.said, best.longest].join('\t'));
    }
    return lines;
  }, RUNS);
  console.log(`Chromium ${browser.version()}`);
  for (const line of lines) console.log(line);
} finally {
  await browser.close();
}
