import { expect, test } from './support/page';

test('a guess is committed before the answer is shown, and graded', async ({ page }) => {
  await page.goto('/amplify');
  await expect(page.locator('[data-ready]').first()).toBeAttached();
  await expect(page.locator('output[name=worst-calls]')).toBeHidden();
  await page.locator('.amp__guess input[name=guess]').fill('12');
  await page.keyboard.press('Enter');
  await expect(page.locator('.amp__verdict')).toContainText('You said 12');
  await expect(page.locator('output[name=worst-calls]')).toHaveText('27');
});

test('layers multiply, without JavaScript as well', async ({ browser, baseURL }) => {
  const context = await browser.newContext({ javaScriptEnabled: false, baseURL });
  const page = await context.newPage();
  await page.goto('/amplify?layers=4,4,4&p=1&rps=1000');
  await expect(page.locator('output[name=worst-calls]')).toHaveText('64');
  await expect(page.locator('output[name=expected-calls]')).toHaveText('64');
  await expect(page.locator('output[name=worst-rps]')).toHaveText('64000');
  await page.goto('/amplify?layers=3,3,3,3,3&p=0.5&rps=10');
  await expect(page.locator('output[name=worst-calls]')).toHaveText('243');
  await context.close();
});

test('a layer that is no number is said beside its field, and the rest is kept', async ({ page }) => {
  await page.goto('/amplify?layers=3,x,3&p=0.5&rps=77');
  const layers = page.locator('input[name=layers]').first();
  await expect(layers).toHaveAttribute('aria-invalid', 'true');
  await expect(layers).toHaveValue('3,x,3');
  await expect(page.locator('input[name=rps]').first()).toHaveValue('77');
  await expect(page.locator('body')).not.toContainText('NaN');
});
