// The outage: nine strategies, who comes back, and from which load on nobody does.
import { AxeBuilder } from '@axe-core/playwright';

import { expect, figure, open, type Page, sideways, test } from './support/page';

const field = (page: Page, name: string) => page.locator(`#f-${name}`);
const digest = (page: Page) => page.locator('output[name="digest"]');

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('nine strategies, verdicts in words, tables and a form', async ({ page }) => {
    await page.goto('/outage');
    await expect(page.locator('[data-strategy]')).toHaveCount(9);
    await expect(figure(page, 'recovery-fixed')).toHaveText('does not come back');
    await expect(figure(page, 'recovery-none')).toHaveText(/^back/);
    await expect(figure(page, 'recovery-budget')).toHaveText(/^back/);
    expect(Number(await figure(page, 'load-fixed').textContent())).toBeGreaterThan(3);
    await expect(page.locator('#outage-fixed-rows tr').nth(45).locator('td').nth(1)).toHaveText('0');
    await field(page, 'rate').fill('20');
    await page.getByRole('button', { name: 'Work it out' }).click();
    await expect(page).toHaveURL(/rate=20/);
    await expect(figure(page, 'recovery-fixed')).toHaveText(/^(back|never broke)/);
  });

  test('the tipping point comes by link', async ({ page }) => {
    await page.goto('/outage');
    await page.getByRole('link', { name: 'Find the tipping point: Fixed retries' }).click();
    const rate = Number(await figure(page, 'tipping').textContent());
    expect(rate).toBeGreaterThan(1);
    expect(rate).toBeLessThan(100);
    await page.goto(`/outage?rate=${rate}`);
    await expect(figure(page, 'recovery-fixed')).toHaveText('does not come back');
    await page.goto(`/outage?rate=${rate - 1}`);
    await expect(figure(page, 'recovery-fixed')).not.toHaveText('does not come back');
  });

  test('what makes no sense is said beside its field and the rest is kept', async ({ page }) => {
    await page.goto('/outage?rate=lots&seed=9&from=10&until=5&relief=pray');
    await expect(page.locator('#n-rate')).toContainText('not a number');
    await expect(field(page, 'rate')).toHaveValue('lots');
    await expect(field(page, 'seed')).toHaveValue('9');
    await expect(page.locator('#n-until')).toContainText('before the start');
    await expect(page.locator('#n-relief')).toContainText('Write one of these');
    await expect(page.locator('main')).not.toContainText('NaN');
  });
});

test('the browser comes to the same bits as the server', async ({ page, browser, baseURL }) => {
  const plain = await browser.newContext({ javaScriptEnabled: false, baseURL });
  const served = await plain.newPage();
  await served.goto('/outage?rate=60&seed=5');
  const expected = await digest(served).textContent();
  await expect(digest(served)).toHaveAttribute('data-by', 'server');
  await plain.close();
  expect(expected).toMatch(/^[0-9a-f]{16}$/);

  await open(page, '/outage');
  expect(await digest(page).textContent()).not.toBe(expected);
  await field(page, 'rate').fill('60');
  await field(page, 'seed').fill('5');
  await expect(digest(page)).toHaveAttribute('data-by', 'browser');
  await expect(digest(page)).toHaveText(expected ?? '');
});

test('the reader breaks it and mends it', async ({ page }) => {
  await open(page, '/outage');
  await expect(figure(page, 'recovery-jitter')).toHaveText('does not come back');
  await field(page, 'relief').selectOption('deadlines');
  await expect(figure(page, 'recovery-jitter')).toHaveText(/^back after/);
  await expect(page).toHaveURL(/relief=deadlines/);
  await field(page, 'relief').selectOption('shed');
  await field(page, 'relief-share').fill('40');
  await expect(figure(page, 'recovery-fixed')).toHaveText('does not come back');
  await field(page, 'relief-share').fill('8o');
  await expect(page.locator('#n-relief-share')).toContainText('not a number');
  await expect(field(page, 'relief-share')).toHaveValue('8o');
  await field(page, 'relief').selectOption('none');
  await page.getByRole('link', { name: 'Find the tipping point: Circuit breaker' }).click();
  await expect(figure(page, 'tipping')).toHaveText('none');
  await expect(page).toHaveURL(/tip=breaker/);
});

test('arrow keys read the points of both pictures', async ({ page }) => {
  await open(page, '/outage');
  for (const id of ['load-fixed-chart', 'latency-fixed-chart']) {
    const picture = page.locator(`[data-panel="${id}"]`);
    await picture.focus();
    await page.keyboard.press('End');
    await expect(picture).toHaveAttribute('aria-valuetext', /sent \d+; succeeded \d+/);
    await page.keyboard.press('Home');
    await expect(picture).toHaveAttribute('aria-valuetext', /^from, s 0; sent \d+/);
  }
});

test('no barriers that a machine can find, and no sideways scroll at 320 px', async ({ page }) => {
  await open(page, '/outage?rate=abc&tip=fixed');
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    // axe has types of a Playwright of its own.
    const { violations } = await new AxeBuilder({ page: page as never })
      .options({ rules: { 'target-size': { enabled: true } } })
      .analyze();
    expect(
      violations.map(({ id, nodes }) => [id, nodes.slice(0, 4).map((node) => node.html.slice(0, 160))]),
    ).toEqual([]);
  }
  await page.setViewportSize({ width: 320, height: 800 });
  expect(await sideways(page)).toEqual({ over: 0, clips: false });
});

test('files of the run', async ({ request }) => {
  const csv = await (await request.get('/outage.csv?seed=4')).text();
  expect(csv.split('\r\n')[0]).toMatch(/^strategy,from_ms,to_ms,offered,sent,completed/);
  const svg = await (await request.get('/outage.svg')).text();
  expect(svg.match(/panel__svg/g)).toHaveLength(18);
});
