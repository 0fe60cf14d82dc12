import { expect, open, test } from './support/page';

test('the first page hydrates and its counter counts', async ({ page }) => {
  await open(page, '/');
  const count = page.locator('output[name="count"]');
  await expect(count).toHaveText('0');
  await page.getByRole('button', { name: 'Count' }).click();
  await expect(count).toHaveText('1');
});
