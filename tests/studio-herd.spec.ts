// The herd: a page that is right without JavaScript, alive with it, and the same on
// both machines.
import { AxeBuilder } from '@axe-core/playwright';

import { expect, figure, open, type Page, sideways, test } from './support/page';

const field = (page: Page, name: string) => page.locator(`#f-${name}`);
const digest = (page: Page) => page.locator('output[name="digest"]');
const tool = (page: Page) => page.locator('[data-tool="herd"]');

async function axe(page: Page) {
  // axe has types of a Playwright of its own.
  const { violations } = await new AxeBuilder({ page: page as never })
    .options({ rules: { 'target-size': { enabled: true } } })
    .analyze();
  expect(
    violations.map(({ id, nodes }) => [id, nodes.slice(0, 4).map((node) => node.html.slice(0, 160))]),
  ).toEqual([]);
}

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('the waves at 100 and 300 ms, four kinds, tables and a form', async ({ page }) => {
    await page.goto('/herd?clients=1000&seed=1');
    await expect(figure(page, 'peak')).toHaveText('1000');
    await expect(figure(page, 'peak-at')).toHaveText('100');
    await expect(page.locator('#large')).toContainText('1000 calls at 100 ms, 899 at 300 ms');
    await expect(page.locator('[data-kind]')).toHaveCount(4);
    const rows = page.locator('#herd-none-rows tr');
    await expect(rows.filter({ has: page.locator('th', { hasText: /^100$/ }) }).locator('td').first()).toHaveText('1000');
    await expect(rows.filter({ has: page.locator('th', { hasText: /^300$/ }) }).locator('td').first()).toHaveText('899');
    await field(page, 'clients').fill('500');
    await page.getByRole('button', { name: 'Work it out' }).click();
    await expect(page).toHaveURL(/clients=500/);
    await expect(figure(page, 'peak')).toHaveText('500');
  });

  test('what makes no sense is said beside its field and the rest is kept', async ({ page }) => {
    await page.goto('/herd?clients=many&seed=7&cap=10&factor=NaN');
    await expect(page.locator('#n-clients')).toContainText('not a number');
    await expect(field(page, 'clients')).toHaveValue('many');
    await expect(field(page, 'seed')).toHaveValue('7');
    await expect(page.locator('#n-cap')).toContainText('below the first wait');
    await expect(figure(page, 'calls')).not.toHaveText(/NaN/);
  });

  test('more than the server runs is said, not tried', async ({ page }) => {
    await page.goto('/herd?clients=1000000&capacity=1000000&queue=100000');
    await expect(page.locator('[data-pending]')).toBeVisible();
    await expect(figure(page, 'peak')).toHaveCount(0);
  });
});

test('the browser comes to the same bits as the server', async ({ page, browser, baseURL }) => {
  const query = '/herd?clients=5000&capacity=4000&seed=42';
  const plain = await browser.newContext({ javaScriptEnabled: false, baseURL });
  const served = await plain.newPage();
  await served.goto(query);
  const expected = await digest(served).textContent();
  await expect(digest(served)).toHaveAttribute('data-by', 'server');
  await plain.close();
  expect(expected).toMatch(/^[0-9a-f]{16}$/);

  await open(page, '/herd');
  const before = await digest(page).textContent();
  expect(before).not.toBe(expected);
  for (const [name, value] of [['clients', '5000'], ['capacity', '4000'], ['seed', '42']]) {
    await field(page, name).fill(value);
  }
  await expect(digest(page)).toHaveAttribute('data-by', 'browser');
  await expect(digest(page)).toHaveText(expected ?? '');
});

test('typing redraws, keeps what is wrong, and the address follows', async ({ page }) => {
  await open(page, '/herd?seed=3');
  await field(page, 'clients').fill('200');
  await expect(figure(page, 'peak')).toHaveText('200');
  await expect(page).toHaveURL(/clients=200.*seed=3/);
  await field(page, 'clients').fill('20x');
  await expect(page.locator('#n-clients')).toContainText('not a number');
  await expect(field(page, 'clients')).toHaveValue('20x');
  await expect(field(page, 'clients')).toHaveAttribute('aria-invalid', 'true');
  await field(page, 'clients').fill('300');
  await expect(page.locator('#n-clients')).toHaveText('');
  await expect(figure(page, 'peak')).toHaveText('300');
  await field(page, 'jitter').selectOption('full');
  await expect(page.locator('#large')).toContainText('Full jitter');
  const [large, small] = [figure(page, 'peak'), figure(page, 'peak-full')];
  await expect(large).toHaveText((await small.textContent()) ?? '');
  await page.reload();
  await expect(page.locator('#large')).toContainText('Full jitter');
});

test('the film goes by button and slider, and pauses', async ({ page }) => {
  await open(page, '/herd');
  const play = page.getByRole('button', { name: 'Play', exact: true });
  await expect(play).toBeVisible();
  const scrub = page.locator('[data-scrub]');
  await scrub.fill('0');
  await expect(figure(page, 'time')).toHaveText('0 ms');
  await expect(page.locator('[data-kind="none"] [data-crowd]')).toContainText('0 served, 1000 waiting');
  await play.click();
  await expect.poll(() => scrub.inputValue().then(Number)).toBeGreaterThan(0);
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  const stopped = await scrub.inputValue();
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  expect(await scrub.inputValue()).toBe(stopped);
  await scrub.fill('1000');
  await expect(page.locator('[data-kind="none"] [data-crowd]')).toContainText('0 waiting');
});

test.describe('with less motion', () => {
  test.use({ reducedMotion: 'reduce' });

  test('nothing plays: a still picture, and a slider', async ({ page }) => {
    await open(page, '/herd');
    await expect(page.locator('[data-still]')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Play', exact: true })).toBeHidden();
    await page.locator('[data-scrub]').fill('500');
    await expect(page.locator('[data-kind="full"] [data-cover]')).toHaveAttribute('x', '50%');
  });
});

test('arrow keys read the points', async ({ page }) => {
  await open(page, '/herd');
  const picture = page.locator('[data-panel="herd-none"]');
  await picture.focus();
  await page.keyboard.press('Home');
  await expect(picture).toHaveAttribute('aria-valuetext', /from, ms 100; arrivals 1000; rejected 899/);
  await page.keyboard.press('ArrowRight');
  await expect(picture).toHaveAttribute('aria-valuenow', '1');
  await expect(picture.locator('[data-at]')).not.toHaveText('');
});

test('a million clients, and the page stays alive', async ({ page }) => {
  test.setTimeout(120_000);
  await open(page, '/herd');
  await field(page, 'capacity').fill('1000000');
  await field(page, 'queue').fill('100000');
  await field(page, 'clients').fill('1000000');
  // It answers while it runs: what is typed next takes over.
  await expect(page.locator('[data-progress]')).toContainText('Running');
  await field(page, 'seed').fill('2');
  await expect(figure(page, 'peak')).toHaveText('1000000', { timeout: 100_000 });
  await expect(page).toHaveURL(/clients=1000000.*seed=2/);
});

test('no barriers that a machine can find, and no sideways scroll at 320 px', async ({ page }) => {
  await open(page, '/herd?clients=abc');
  await page.locator('details').evaluateAll((all) => all.forEach((it) => it.setAttribute('open', '')));
  await axe(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  await axe(page);
  await page.setViewportSize({ width: 320, height: 800 });
  expect(await sideways(page)).toEqual({ over: 0, clips: false });
  await expect(tool(page)).toBeVisible();
});

test('files of the run, and a frame for other pages', async ({ page, request }) => {
  const csv = await request.get('/herd.csv?clients=100&seed=4');
  expect(csv.headers()['content-disposition']).toContain('herd.csv');
  const lines = (await csv.text()).trim().split('\r\n');
  expect(lines[0]).toBe('jitter,from_ms,to_ms,arrivals,rejected,served,wasted,timed_out,gave_up');
  expect(lines.filter((line) => line.startsWith('none,')).map((line) => Number(line.split(',')[3])).reduce((a, b) => Math.max(a, b))).toBe(100);
  const svg = await (await request.get('/herd.svg?clients=100')).text();
  expect(svg).toMatch(/^<svg xmlns/);
  expect(svg.match(/panel__svg/g)).toHaveLength(4);
  await open(page, '/embed/herd?clients=100');
  await expect(figure(page, 'peak')).toHaveText('100');
  await expect(page.locator('header.mast')).toHaveCount(0);
});
