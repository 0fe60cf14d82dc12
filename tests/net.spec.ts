// What goes over the network: how much, from where, and under which headers.
import type { APIResponse, Page } from '@playwright/test';

import { expect, open, test } from './support/page';

// The first load of the lesson: HTML, CSS, JS and WASM as transferred.
const BUDGET = 170_000;

interface Loaded {
  path: string;
  bytes: number;
  encoding: string;
}

// Everything that a page loads, as the browser counts it: compressed bodies and headers.
async function loads(page: Page, path: string): Promise<Loaded[]> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Network.enable');
  const asked = new Map<string, Omit<Loaded, 'bytes'>>();
  const loaded: Loaded[] = [];
  devtools.on('Network.responseReceived', ({ requestId, response }) => {
    const encoding = Object.entries(response.headers).find(
      ([name]) => name.toLowerCase() === 'content-encoding',
    );
    asked.set(requestId, { path: new URL(response.url).pathname, encoding: encoding?.[1] ?? '' });
  });
  devtools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const it = asked.get(requestId);
    if (it && encodedDataLength > 0) loaded.push({ ...it, bytes: encodedDataLength });
  });
  await open(page, path);
  await expect
    .poll(() => loaded.map((it) => it.path), 'all kinds have come')
    .toEqual(
      expect.arrayContaining([
        path,
        expect.stringMatching(/\.css$/),
        expect.stringMatching(/\.js$/),
        expect.stringMatching(/\.wasm$/),
      ]),
    );
  return loaded;
}

for (const [path, budget] of [
  ['/', BUDGET],
  ['/play/lost-response', BUDGET],
  ['/play/no-processor-key', BUDGET],
  ['/lab', Infinity],
] as const) {
  const limit = budget < Infinity ? `is at most ${budget} bytes` : 'is weighed';
  test(`the first load of ${path} ${limit}`, async ({ page }) => {
    const loaded = await loads(page, path);
    const counted = loaded.filter((it) => it.path === path || /\.(css|js|wasm)$/.test(it.path));
    const sum = counted.reduce((sum, it) => sum + it.bytes, 0);
    const parts = counted.map((it) => `${it.path.replace(/^.*\//, '') || path} ${it.bytes}`);
    console.log(`    first load of ${path}: ${sum} bytes (${parts.join(', ')})`);
    const paths = counted.map((it) => it.path);
    expect(paths, 'each is fetched once').toEqual([...new Set(paths)]);
    for (const it of counted) expect(it.encoding, it.path).toBe('br');
    expect(sum).toBeLessThanOrEqual(budget);
  });
}

for (const path of [
  '/',
  '/?scenario=without-key&step=3',
  '/play/lost-response?step=5',
  '/play/without-key',
  '/play/new-key-on-retry?step=10',
  '/play/early-retry?step=6',
  '/play/no-lease',
  '/play/no-account-scope?step=4',
  '/lab',
]) {
  // The fixture fails a test whose page complains or leaves the host.
  test(`${path} hydrates in silence and stays with its own host`, async ({ page }) => {
    await open(page, path);
    await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
    await page.keyboard.press('ArrowRight');
    await expect(page.locator('output[name="step"]')).toHaveText(/^\d+$/);
    const foreign = await page.evaluate(() =>
      performance
        .getEntriesByType('resource')
        .map((it) => new URL(it.name).host)
        .filter((host) => host !== location.host),
    );
    expect(foreign).toEqual([]);
  });
}

test.describe('the fixture', () => {
  const CASES = {
    'an error on the console': () => console.error('an error'),
    'a warning on the console': () => console.warn('a warning'),
    'an exception': () => {
      setTimeout(() => {
        throw new Error('thrown');
      });
    },
    'a rejected promise': () => void Promise.reject(new Error('rejected')),
    'an image of another host': () => void (new Image().src = 'http://127.0.0.2/x.png'),
    'a handler that the policy refuses': () => {
      const script = document.createElement('script');
      script.setAttribute('onclick', 'window.ran = true');
      document.head.append(script);
      script.click();
    },
  };
  for (const [what, script] of Object.entries(CASES)) {
    test(`${what} is a complaint`, async ({ page, complaints, expected }) => {
      expected.console(/./);
      await open(page, '/');
      expect(complaints).toEqual([]);
      await page.evaluate(script);
      await expect.poll(() => complaints.length).toBeGreaterThan(0);
    });
  }
});

test.describe('headers', () => {
  const policy = (response: APIResponse) => response.headers()['content-security-policy'] ?? '';
  const nonce = (response: APIResponse) => policy(response).match(/'nonce-([^']+)'/)?.[1] ?? '';

  for (const path of ['/', '/lab', '/api', '/play/lost-response?step=5', '/play/nonsense']) {
    test(`${path} is a page under a policy`, async ({ request }) => {
      const headers = { accept: 'text/html' };
      const one = await request.get(path, { headers });
      const two = await request.get(path, { headers });
      const sent = one.headers();
      expect(sent['content-type']).toMatch(/^text\/html/);
      expect(sent['x-content-type-options']).toBe('nosniff');
      expect(sent['referrer-policy']).toMatch(/origin|no-referrer/);
      expect(sent['permissions-policy']).toContain('camera=()');
      expect(sent['cross-origin-opener-policy']).toBe('same-origin');
      expect(sent['cache-control']).toMatch(/no-cache|no-store/);
      expect(policy(one)).toContain("default-src 'none'");
      expect(policy(one)).toContain("frame-ancestors 'none'");
      expect(policy(one)).toContain("base-uri 'none'");
      expect(policy(one)).not.toMatch(/'unsafe-inline'|'unsafe-eval'|\*/);
      expect(nonce(one).length).toBeGreaterThanOrEqual(22);
      expect(nonce(two)).not.toBe(nonce(one));
      const html = await one.text();
      const scripts = [...html.matchAll(/<script\b[^>]*>/g)].map(([tag]) => tag);
      expect(scripts.length).toBeGreaterThan(0);
      for (const tag of scripts) expect(tag).toContain(`nonce="${nonce(one)}"`);
      expect(html, 'no style or handler that the policy would refuse').not.toMatch(
        /\s(?:style|on[a-z]+)="/,
      );
    });
  }

  test('assets are compressed, and kept for ever under their hash', async ({ request }) => {
    const html = await (await request.get('/')).text();
    const assets = [...new Set([...html.matchAll(/\/assets\/[\w./-]+/g)].map(([path]) => path))];
    expect(assets.map((path) => path.split('.').at(-1)).sort()).toEqual(
      expect.arrayContaining(['css', 'js', 'wasm']),
    );
    for (const path of assets) {
      for (const coding of ['br', 'gzip']) {
        const response = await request.get(path, { headers: { 'accept-encoding': coding } });
        expect(response.status(), path).toBe(200);
        expect(response.headers()['content-encoding'], path).toBe(coding);
        expect(response.headers()['cache-control'], path).toMatch(/immutable/);
        expect(response.headers()['vary'], path).toMatch(/accept-encoding/i);
        expect(response.headers()['x-content-type-options'], path).toBe('nosniff');
      }
      const stale = path.replace(/\/assets\/[^/]+\//, '/assets/0123456789abcdef/');
      expect((await request.get(stale)).status(), 'another hash is not there').toBe(404);
    }
    const types = Object.fromEntries(
      await Promise.all(
        assets.map(async (path) => [
          path.split('.').at(-1),
          (await request.get(path)).headers()['content-type'],
        ]),
      ),
    );
    expect(types.wasm).toBe('application/wasm');
    expect(types.js).toMatch(/^text\/javascript/);
    expect(types.css).toMatch(/^text\/css/);
  });

  test('a second visit fetches no asset again', async ({ page }) => {
    await open(page, '/');
    // How many bytes each asset of this page took from the network.
    const assets = () =>
      page.evaluate(() =>
        (performance.getEntriesByType('resource') as PerformanceResourceTiming[])
          .filter((it) => it.name.includes('/assets/'))
          .map((it) => it.transferSize),
      );
    const first = await assets();
    expect(Math.max(...first)).toBeGreaterThan(0);
    await open(page, '/play/lost-response');
    const second = await assets();
    expect(second.length).toBeGreaterThanOrEqual(3);
    expect(Math.max(...second)).toBe(0);
  });
});
