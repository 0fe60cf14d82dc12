// What a machine can find of the barriers on a page.
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';

import { Lab } from './support/lab';
import { expect, figure, open, test } from './support/page';
import { fork } from './support/player';

async function audit(page: Page) {
  // axe has types of a Playwright of its own.
  const { violations, passes } = await new AxeBuilder({ page: page as never })
    .options({ rules: { 'target-size': { enabled: true } } })
    .analyze();
  expect(passes.length).toBeGreaterThan(10);
  expect(
    violations.map(({ id, help, nodes }) => ({
      id,
      help,
      nodes: nodes.slice(0, 5).map((node) => `${node.html.slice(0, 160)} ${node.failureSummary}`),
    })),
  ).toEqual([]);
}

for (const colorScheme of ['light', 'dark'] as const) {
  test.describe(colorScheme, () => {
    test.use({ colorScheme, reducedMotion: 'reduce' });

    test('the lesson, with an answer given', async ({ page }) => {
      await open(page, '/');
      const question = page.locator('[data-question]').first();
      await question.getByRole('radio').first().check();
      await question.getByRole('button', { name: 'Commit answer' }).click();
      await page.getByLabel('Payments a second').fill('many');
      await page.locator('.predict').getByLabel('1', { exact: true }).check();
      await expect(page.locator('.predict')).toContainText('You said 1');
      await audit(page);
    });

    test('the player at the lost reply, and where it charged twice', async ({ page }) => {
      await open(page, '/play/lost-response?step=5');
      await audit(page);
      await fork(page, 'Without a key');
      await expect(figure(page, 'charged')).toHaveText('2');
      await audit(page);
    });

    test('a counterexample at its end', async ({ page }) => {
      await open(page, '/play/no-processor-key?step=99');
      await expect(figure(page, 'charged')).toHaveText('2');
      await audit(page);
    });

    test('the lab while it is unsafe', async ({ page }) => {
      const lab = await Lab.open(page);
      await page.getByRole('radio', { name: 'Two pods' }).check();
      await lab.weaken('Look up, then insert');
      await lab.weaken('No key at the processor');
      await lab.faults();
      await lab.tapTwice();
      await lab.settlement({ intended: 1, charged: 2, duplicates: 1 });
      await audit(page);
    });

    test('the reference of the service', async ({ page }) => {
      await open(page, '/api');
      await audit(page);
    });

    test('the lab before a payment', async ({ page }) => {
      await Lab.open(page);
      await audit(page);
    });

    test('the lab after a payment', async ({ page }) => {
      const lab = await Lab.open(page);
      await page.getByLabel('Time-out').fill('0,5');
      await lab.pay();
      await lab.figures({ charged: 1, attempts: 2 });
      for (const tab of ['Keys', 'Ledger', 'Log', 'Wire'] as const) {
        await lab.tab(tab);
        await audit(page);
      }
    });

    for (const path of [
      '/',
      '/play/lost-response?step=5',
      '/play/no-heartbeat-no-fencing?step=10',
      '/lab',
      '/api',
    ]) {
      test(`${path} at 320 px`, async ({ page }) => {
        await page.setViewportSize({ width: 320, height: 640 });
        await open(page, path);
        await audit(page);
      });
    }
  });
}
