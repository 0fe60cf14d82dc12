// The pages without JavaScript: nothing of the lesson is missing.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { expect, figure, sideways, test } from './support/page';

test.use({ javaScriptEnabled: false });

test.beforeEach(({ expected }) => {
  // Nobody is there to use the client that the page tells the browser to fetch.
  expected.console(/preloaded using link preload but not used/);
});

test('the lesson lists all eight steps, and each leads to its own page', async ({ page }) => {
  await page.goto('/');
  const steps = page.locator('.tr ol > li');
  await expect(steps).toHaveCount(8);
  for (const [at, words] of [
    'Asks for $40.00 under key',
    'Inserts the key',
    'ch_9 is in the ledger',
    'Saves 201',
    'the app stops waiting',
    'Asks again',
    'marked as a replay',
    '409',
  ].entries()) {
    await expect(steps.nth(at)).toBeVisible();
    await expect(steps.nth(at)).toContainText(words);
  }
  await steps.nth(4).getByRole('link').click();
  await expect(page).toHaveURL('/play/lost-response?seed=1&step=5');
  await expect(figure(page, 'step')).toHaveText('5');
});

test('step 5 is drawn by the server', async ({ page }) => {
  await page.goto('/play/lost-response?step=5');
  for (const [name, text] of Object.entries({
    step: '5',
    steps: '8',
    intended: '1',
    charged: '1',
    attempts: '1',
  })) {
    await expect(figure(page, name)).toHaveText(text);
  }
  await expect(figure(page, 'belief')).toHaveText(/unknown/i);
  await expect(figure(page, 'truth')).toHaveText(/^Charged once, ch_9/);
  await expect(page.locator('.picture svg').first()).toBeVisible();
  await expect(page.locator('.tr [aria-current="step"]')).toContainText('the app stops waiting');
});

for (const { slug, steps, charged, attempts } of [
  { slug: 'lost-response', steps: 8, charged: 1, attempts: 2 },
  { slug: 'without-key', steps: 6, charged: 2, attempts: 2 },
  { slug: 'new-key-on-retry', steps: 10, charged: 2, attempts: 2 },
  { slug: 'early-retry', steps: 11, charged: 1, attempts: 3 },
]) {
  test(`${slug} reads from its first step to its last`, async ({ page }) => {
    const response = await page.goto(`/play/${slug}`);
    expect(response?.status()).toBe(200);
    await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1);
    await expect(figure(page, 'steps')).toHaveText(String(steps));
    await expect(figure(page, 'charged')).toHaveText('0');
    await expect(page.locator('.tr ol > li')).toHaveCount(steps);
    await page.locator('.tr ol > li').last().getByRole('link').click();
    await expect(figure(page, 'step')).toHaveText(String(steps));
    await expect(figure(page, 'intended')).toHaveText('1');
    await expect(figure(page, 'charged')).toHaveText(String(charged));
    await expect(figure(page, 'attempts')).toHaveText(String(attempts));
  });
}

test('a counterexample reads without JavaScript, step by step', async ({ page }) => {
  await page.goto('/play/no-processor-key');
  await expect(figure(page, 'breaks')).toHaveText('At most one charge for one intent');
  const steps = page.locator('.tr ol > li');
  await expect(steps).toHaveCount(Number(await figure(page, 'steps').innerText()));
  await steps.last().getByRole('link').click();
  await expect(page).toHaveURL(/\/play\/no-processor-key\?step=\d+$/);
  await expect(figure(page, 'charged')).toHaveText('2');
  await expect(figure(page, 'intended')).toHaveText('1');
  await expect(page.locator('.picture svg').first()).toBeVisible();
});

test('the sum of the opening is there', async ({ page }) => {
  await page.goto('/');
  await expect(figure(page, 'doubles-per-day')).toHaveText('8,640');
});

test('the quick checks can be read with their answers', async ({ page }) => {
  await page.goto('/');
  const questions = page.locator('[data-question]');
  await expect(questions).toHaveCount(3);
  for (const question of await questions.all()) {
    await expect(question.getByRole('radio')).toHaveCount(4);
    await question.locator('summary').click();
    const answers = question.locator('details li');
    await expect(answers).toHaveCount(4);
    await expect(answers.filter({ hasText: /^Right:/ })).toHaveCount(1);
    await expect(answers.filter({ hasText: /^Wrong:/ })).toHaveCount(3);
    for (const answer of await answers.all()) {
      await expect(answer).toBeVisible();
      // The option, and then the reason.
      const [option, all] = [await answer.locator('b').innerText(), await answer.innerText()];
      expect(all.length).toBeGreaterThan(option.length + 20);
    }
  }
});

test('the lab says what it needs, and shows a session that works in a shell', async ({
  page,
  baseURL,
}) => {
  await page.goto('/lab');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(page.locator('p.noscript')).toContainText('needs JavaScript');
  const session = await page.locator('.shell pre').innerText();
  expect(session).toContain('curl');
  const script = session.replace(/^BASE=.*$/m, `BASE=${baseURL}`);
  expect(script).not.toBe(session);
  const { stdout } = await promisify(execFile)('sh', ['-c', script]);
  expect(stdout).toMatch(/^idempotency-replayed: true\r?$/im);
  const ledger = JSON.parse(stdout.match(/\{"charges":.*\}/)?.[0] ?? '');
  expect(ledger.charges).toHaveLength(1);
  expect(ledger.charges[0].amount).toBe(4000);
});

for (const path of ['/play/nonsense', '/play/no-heartbeat', '/play/', '/nothing/here']) {
  test(`${path} is a page that says that there is none`, async ({ page, expected }) => {
    expected.console(/404/);
    const response = await page.goto(path);
    expect(response?.status()).toBe(404);
    await expect(page.getByRole('heading', { name: 'No such page' })).toBeVisible();
    await page.getByRole('link', { name: 'To the lesson' }).click();
    await expect(page).toHaveURL('/');
  });
}

for (const path of [
  '/',
  '/lab',
  '/api',
  '/play/early-retry?step=6',
  '/play/no-processor-key-lookup-first?step=9',
]) {
  test(`${path} has no sideways scroll at 320 px`, async ({ page }) => {
    await page.setViewportSize({ width: 320, height: 640 });
    await page.goto(path);
    const width = page.locator('html');
    await expect(width).toBeVisible();
    expect((await width.boundingBox())?.width).toBe(320);
    expect(await sideways(page)).toEqual({ over: 0, clips: false });
  });
}
