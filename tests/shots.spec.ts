// Pictures to be looked at, in a folder that git ignores. They fail only when a
// page cannot be brought to where its picture is taken.
import { join } from 'node:path';

import type { Page } from '@playwright/test';

import { Lab } from './support/lab';
import { expect, figure, open, test } from './support/page';

const SHOTS = join(import.meta.dirname, 'shots');

const STAGES: Record<string, (page: Page) => Promise<void>> = {
  lesson: (page) => open(page, '/'),
  player: async (page) => {
    await open(page, '/play/lost-response?step=5');
    await expect(figure(page, 'step')).toHaveText('5');
  },
  'without-key': async (page) => {
    await open(page, '/play/without-key?step=5');
    await expect(figure(page, 'charged')).toHaveText('2');
  },
  counterexample: async (page) => {
    await open(page, '/play/no-processor-key?step=99');
    await expect(figure(page, 'charged')).toHaveText('2');
  },
  'lab-unsafe': async (page) => {
    const lab = await Lab.open(page);
    await page.getByRole('radio', { name: 'Two pods' }).check();
    await lab.weaken('Look up, then insert');
    await lab.weaken('No key at the processor');
    await lab.faults();
    await lab.tapTwice();
    await lab.settlement({ intended: 1, charged: 2, duplicates: 1 });
  },
  lab: async (page) => {
    const lab = await Lab.open(page);
    await lab.pay();
    await lab.figures({ charged: 1, attempts: 2 });
  },
};

for (const [name, stage] of Object.entries(STAGES)) {
  for (const width of [1280, 320]) {
    test(`${name} at ${width} px`, async ({ page }) => {
      await page.setViewportSize({ width, height: width === 320 ? 640 : 800 });
      await stage(page);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        await page.screenshot({
          path: join(SHOTS, `${name}-${width}-${colorScheme}.png`),
          fullPage: true,
          animations: 'disabled',
        });
      }
    });
  }
}
