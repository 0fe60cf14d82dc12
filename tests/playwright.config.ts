import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { defineConfig } from '@playwright/test';

// `cargo xtask test` starts the server and gives its URL. With a server of your
// own: BASE_URL=http://127.0.0.1:3000 npx playwright test
const given = process.env.BASE_URL;
const port = process.env.PORT ?? '3210';
const baseURL = given ?? `http://127.0.0.1:${port}`;

export default defineConfig({
  testDir: '.',
  testMatch: '*.spec.ts',
  outputDir: 'test-results',
  workers: 2,
  fullyParallel: true,
  forbidOnly: !!process.env.CI,
  timeout: 30_000,
  expect: { timeout: 7_000 },
  reporter: [['list']],
  use: {
    baseURL,
    browserName: 'chromium',
    locale: 'en-GB',
    trace: 'retain-on-failure',
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: [
        '--no-sandbox',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--no-first-run',
        '--disable-quic',
        '--disable-gpu',
      ],
    },
  },
  ...(given
    ? {}
    : {
        webServer: {
          command: `../target/debug/charge-once --listen 127.0.0.1:${port}`,
          url: `${baseURL}/`,
          env: { CHARGE_ONCE_DATABASE: `sqlite://${join(mkdtempSync(join(tmpdir(), 'charge-once-')), 'browser.db')}` },
        },
      }),
});
