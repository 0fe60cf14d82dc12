import { expect, test } from './support/page';

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
