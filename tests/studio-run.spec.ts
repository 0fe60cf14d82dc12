import { expect, figure, open, sideways, test } from './support/page';

test('the policy runs against the real server, and the card is charged once', async ({ page }) => {
  await page.goto('/retry');
  await expect(page.locator('[data-ready]').first()).toBeAttached();
  await page.getByRole('button', { name: 'Run it' }).click();
  await expect(page.locator('output[name=run-ended]')).toHaveText('has its answer', { timeout: 30_000 });
  await expect(page.locator('output[name=run-charged]')).toHaveText('1');
  await expect(page.locator('output[name=run-attempts]')).not.toHaveText('1');
});

test('the errors are sorted before the table explains them', async ({ page }) => {
  await page.goto('/retry');
  await expect(page.locator('[data-ready]').first()).toBeAttached();
  const check = page.getByRole('button', { name: 'Check my sorting' });
  await check.click();
  await expect(page.locator('.triage')).toContainText('18 are not sorted yet');
  const cases = page.locator('.triage__case');
  for (let at = 0; at < (await cases.count()); at += 1) {
    await cases.nth(at).getByLabel('Do not try again').check();
  }
  await check.click();
  await expect(page.locator('.triage__score')).toBeVisible();
  await expect(page.locator('.triage__table')).toBeVisible();
});

test('a declined card is an answer: it is not asked for again, and no money is taken', async ({ page, expected }) => {
  expected.console(/402/);
  await open(page, '/retry');
  await page.locator('[name=fault-1]').selectOption('declined');
  await page.getByRole('button', { name: 'Run it' }).click();
  await expect(figure(page, 'run-ended')).toHaveText('has its answer', { timeout: 30_000 });
  await expect(figure(page, 'run-attempts')).toHaveText('1');
  await expect(figure(page, 'run-charged')).toHaveText('0');
  await expect(page.locator('#c-run tbody tr')).toContainText(['402']);
});

test('a run can be stopped while it waits', async ({ page, expected }) => {
  expected.console(/503/);
  await open(page, '/retry?attempts=2&base=30000&cap=30000&jitter=none');
  await page.locator('[name=fault-1]').selectOption('processor_503');
  const stop = page.getByRole('button', { name: 'Stop' });
  await expect(stop).toBeHidden();
  await page.getByRole('button', { name: 'Run it' }).click();
  await expect(page.locator('#c-run tbody tr')).toContainText(['503'], { timeout: 15_000 });
  await stop.click();
  await expect(figure(page, 'run-ended')).toHaveText('was stopped by you');
  await expect(figure(page, 'run-attempts')).toHaveText('1');
  await expect(stop).toBeHidden();
});

test('what would take too long is not run, and that is said', async ({ page }) => {
  await open(page, '/retry?attempts=50');
  await page.getByRole('button', { name: 'Run it' }).click();
  await expect(page.locator('[data-ran]')).toContainText('at most 12 are run here');
});

test('every case right is told as such, on a narrow page without scrolling sideways', async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 900 });
  await open(page, '/retry');
  const never = ['400', '401', '404', '410', '413', '422', '501'];
  for (const item of await page.locator('.triage__case').all()) {
    const seen = (await item.locator('legend').textContent()) ?? '';
    const pile = /^(402|201)/.test(seen)
      ? 'It is an answer'
      : never.some((status) => seen.startsWith(status))
        ? 'Do not try again'
        : 'Try again';
    await item.getByLabel(pile, { exact: true }).check();
  }
  await page.getByRole('button', { name: 'Check my sorting' }).click();
  await expect(figure(page, 'triage-score')).toHaveText('18 of 18');
  await expect(page.locator('.triage__missed')).toHaveCount(0);
  expect(await sideways(page)).toEqual({ over: 0, clips: false });
});
