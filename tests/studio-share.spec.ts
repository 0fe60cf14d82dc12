// The studio's tools where they leave the page: in a frame of somebody else's, and on
// paper.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { expect, figure, open, test } from './support/page';

const TOOLS = [
  ['retry', 'wait-p99'],
  ['amplify', 'worst-calls'],
  ['herd', 'peak'],
  ['outage', 'goodput-none'],
] as const;

// A site of somebody else's, with a frame for this address of ours.
async function elsewhere(framed: string, use: (url: string) => Promise<void>) {
  const server = createServer((_, reply) => {
    reply.setHeader('Content-Type', 'text/html');
    reply.end(`<!doctype html><title>Elsewhere</title><link rel="icon" href="data:,">
      <iframe width="360" height="900" title="Framed" src="${framed}"></iframe>`);
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  await use(`http://127.0.0.1:${port}/`).finally(() => server.close());
}

for (const [tool, name] of TOOLS) {
  test(`${tool} lives in a frame of another site`, async ({ page, baseURL, expected }) => {
    expected.console(/request to another host/);
    const query = tool === 'amplify' ? '?layers=3,3,3&guess=30' : '';
    await elsewhere(`${baseURL}/embed/${tool}${query}`, async (url) => {
      await page.goto(url);
      const frame = page.frameLocator('iframe');
      await expect(frame.locator('[data-ready]').first()).toBeAttached();
      await expect(frame.locator(`output[name="${name}"]`).first()).toHaveText(/\d/);
      // Without the chrome of a page, and no wider than its frame.
      await expect(frame.locator('header, footer')).toHaveCount(0);
      const over = await frame
        .locator('html')
        .evaluate((root) => Math.max(0, root.scrollWidth - root.clientWidth));
      expect(over).toBe(0);
    });
  });
}

test('a whole page does not stand in a frame of another site', async ({ page, baseURL, expected }) => {
  expected.console(/request to another host|frame-ancestors/);
  await elsewhere(`${baseURL}/retry`, async (url) => {
    await page.goto(url);
    const framed = page.frames().find((frame) => frame !== page.mainFrame());
    await expect.poll(() => framed?.url()).toMatch(/^chrome-error:/);
    await expect(page.frameLocator('iframe').locator('.studio')).toHaveCount(0);
  });
});

for (const [tool, name] of TOOLS) {
  test(`${tool} is printed with its figures and its tables`, async ({ page }) => {
    await open(page, tool === 'amplify' ? '/amplify?layers=3,3,3&guess=30' : `/${tool}`);
    await page.emulateMedia({ media: 'print' });
    await expect(figure(page, name).first()).toBeVisible();
    await expect(page.locator('.studio__nav')).toBeHidden();
    // What is folded on the screen is open on paper, and nothing there waits for a press.
    await expect(page.locator('table tbody tr').filter({ visible: true }).first()).toBeVisible();
    const cut = await page.evaluate(() =>
      [...document.querySelectorAll('main *')]
        .filter((it) => it.clientHeight > 0 && /auto|scroll/.test(getComputedStyle(it).overflowY))
        .filter((it) => it.scrollHeight > it.clientHeight + 1)
        .map((it) => it.className),
    );
    expect(cut, 'paper does not scroll').toEqual([]);
    for (const button of await page.getByRole('button').all()) await expect(button).toBeHidden();
    const paper = await page.pdf({ format: 'A4' });
    expect(paper.subarray(0, 4).toString()).toBe('%PDF');
  });
}
