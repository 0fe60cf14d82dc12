// The lesson: its sum, its quick checks, its theme, its layout.
import type { Page } from '@playwright/test';

import { expect, figure, hydrated, open, sideways, test } from './support/page';
import { expectFigures, expectStep, next } from './support/player';

test.describe('the sum', () => {
  const rate = (page: Page) => page.getByLabel('Payments a second');
  const calls = (page: Page) => page.getByLabel('One reply lost in so many calls');
  const dollars = (page: Page) => page.getByLabel('Dollars for one payment');
  const perSecond = (page: Page) => figure(page, 'doubles-per-second');
  const perDay = (page: Page) => figure(page, 'doubles-per-day');
  const refund = (page: Page) => figure(page, 'refund-per-day');

  test('is 8,640 a day at first, and follows each of its numbers', async ({ page }) => {
    await open(page, '/');
    await expect(perSecond(page)).toHaveText('0.1');
    await expect(perDay(page)).toHaveText('8,640');
    await expect(refund(page)).toHaveText('$345,600.00');

    await rate(page).fill('200');
    await expect(perSecond(page)).toHaveText('0.2');
    await expect(perDay(page)).toHaveText('17,280');
    await expect(refund(page)).toHaveText('$691,200.00');

    await calls(page).fill('2,000');
    await expect(perDay(page)).toHaveText('8,640');

    await dollars(page).fill('$10');
    await expect(perDay(page)).toHaveText('8,640');
    await expect(refund(page)).toHaveText('$86,400.00');
  });

  test('understands a decimal comma, a decimal point and grouped digits', async ({ page }) => {
    await open(page, '/');
    for (const [typed, day] of [
      ['0,5', '43'],
      ['12,5', '1,080'],
      ['0.5', '43'],
      ['1,000', '86,400'],
      ['0,25', '22'],
      ['1 000', '86,400'],
    ]) {
      await rate(page).fill(typed);
      await expect(perDay(page), typed).toHaveText(day);
      await expect(rate(page)).not.toHaveAttribute('aria-invalid', 'true');
    }
    await dollars(page).fill('39,99');
    await rate(page).fill('100');
    await expect(refund(page)).toHaveText('$345,513.60');
  });

  test('says beside a bad value what is wrong, and keeps the result', async ({ page }) => {
    await open(page, '/');
    for (const [field, bad] of [
      [rate, 'many'],
      [rate, ''],
      [rate, '-5'],
      [calls, '0'],
      [calls, '1e999'],
      [dollars, '1.2.3'],
      [dollars, '99999999'],
    ] as const) {
      const before = await field(page).inputValue();
      await field(page).fill(bad);
      await expect(field(page)).toHaveAttribute('aria-invalid', 'true');
      const described = await field(page).getAttribute('aria-describedby');
      const problem = page.locator(`[id="${described}"]`);
      await expect(problem).toBeVisible();
      await expect(problem).toHaveText(/\w+/);
      await expect(perDay(page)).toHaveText('8,640');
      await expect(refund(page)).toHaveText('$345,600.00');
      await field(page).fill(before);
      await expect(problem).toHaveText('');
      await expect(field(page)).not.toHaveAttribute('aria-invalid', 'true');
    }
  });

  test('keeps what is typed as it is typed', async ({ page }) => {
    await open(page, '/');
    await rate(page).fill('');
    await rate(page).pressSequentially('0,25');
    await expect(rate(page)).toHaveValue('0,25');
    await expect(perSecond(page)).toHaveText(/^0\.000(25|3)$/);
  });
});

test.describe('the quick checks', () => {
  const question = (page: Page, id: string) => page.locator(`[data-question="${id}"]`);
  const one = (page: Page) => question(page, 'idempotent-as-written');
  const two = (page: Page) => question(page, 'client-on-400');
  const three = (page: Page) => question(page, 'two-layers-of-four');
  const commit = (of: ReturnType<typeof one>) => of.getByRole('button', { name: 'Commit answer' });
  const again = (of: ReturnType<typeof one>) => of.getByRole('button', { name: 'Try again' });
  const reasons = (of: ReturnType<typeof one>) => of.locator('.opt__e:visible');

  test('nothing is told before an answer is committed', async ({ page }) => {
    await open(page, '/');
    for (const it of [one(page), two(page), three(page)]) {
      await expect(commit(it)).toBeDisabled();
      await expect(again(it)).toBeHidden();
      await expect(reasons(it)).toHaveCount(0);
    }
    await one(page).getByRole('radio').nth(0).check();
    await expect(commit(one(page))).toBeEnabled();
    await expect(commit(two(page))).toBeDisabled();
    await expect(reasons(one(page))).toHaveCount(0);
    // Until then it can be changed.
    await one(page).getByRole('radio').nth(2).check();
    await expect(reasons(one(page))).toHaveCount(0);
    await expect(figure(page, 'answered')).toHaveText('0');
  });

  test('a wrong answer: every option says why, in words and not by colour only', async ({
    page,
  }) => {
    await open(page, '/');
    await two(page).getByRole('radio').nth(0).check();
    await commit(two(page)).click();
    await expect(reasons(two(page))).toHaveCount(4);
    const options = two(page).locator('.opt');
    await expect(options.nth(0)).toContainText('Your answer, not quite');
    await expect(options.nth(2)).toContainText('The right answer');
    for (const radio of await two(page).getByRole('radio').all()) {
      await expect(radio).toBeDisabled();
    }
    await expect(commit(two(page))).toBeHidden();
    await expect(page.getByRole('status').filter({ hasText: 'Not quite' })).toHaveCount(1);
    await expect(figure(page, 'answered')).toHaveText('1');
    await expect(figure(page, 'right')).toHaveText('0');
  });

  test('a right answer says so, and is counted once', async ({ page }) => {
    await open(page, '/');
    await three(page).getByRole('radio', { name: '16', exact: true }).check();
    await commit(three(page)).click();
    await expect(three(page).locator('.opt').nth(2)).toContainText('Your answer, and right');
    await expect(page.getByRole('status').filter({ hasText: 'Right.' })).toHaveCount(1);
    await expect(figure(page, 'answered')).toHaveText('1');
    await expect(figure(page, 'right')).toHaveText('1');
    await again(three(page)).click();
    await expect(figure(page, 'answered')).toHaveText('0');
    await expect(reasons(three(page))).toHaveCount(0);
    await expect(commit(three(page))).toBeDisabled();
    await three(page).getByRole('radio', { name: '16', exact: true }).check();
    await commit(three(page)).click();
    await expect(figure(page, 'answered')).toHaveText('1');
    await expect(figure(page, 'right')).toHaveText('1');
  });

  test('can be answered by keyboard alone', async ({ page }) => {
    await open(page, '/?step=3');
    await one(page).getByRole('radio').nth(0).focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('ArrowDown');
    await expect(one(page).getByRole('radio').nth(1)).toBeChecked();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Tab');
    await expect(commit(one(page))).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(reasons(one(page))).toHaveCount(4);
    // The focus is not lost with the button.
    expect(await page.evaluate(() => document.activeElement?.tagName)).not.toBe('BODY');
    await expectStep(page, 3);
  });

  test('answers survive a reload, and so does taking one back', async ({ page }) => {
    await open(page, '/');
    await one(page).getByRole('radio').nth(1).check();
    await commit(one(page)).click();
    await two(page).getByRole('radio').nth(3).check();
    await commit(two(page)).click();
    await expect(figure(page, 'answered')).toHaveText('2');
    await page.reload();
    await expect(figure(page, 'answered')).toHaveText('2');
    await expect(figure(page, 'right')).toHaveText('1');
    await expect(one(page).getByRole('radio').nth(1)).toBeChecked();
    await expect(one(page).locator('.opt').nth(1)).toContainText('Your answer, and right');
    await expect(two(page).locator('.opt').nth(3)).toContainText('Your answer, not quite');
    await expect(reasons(three(page))).toHaveCount(0);
    await again(two(page)).click();
    await expect(figure(page, 'answered')).toHaveText('1');
    await page.reload();
    await hydrated(page);
    await expect(figure(page, 'answered')).toHaveText('1');
    await expect(reasons(two(page))).toHaveCount(0);
  });

  test('what is kept and makes no sense is passed over', async ({ page }) => {
    for (const kept of ['', '{', '[]', '{"answers":1}', 'null', '{"client-on-400":"x"}']) {
      await page.addInitScript((text) => localStorage.setItem('charge-once:answers', text), kept);
      await open(page, '/');
      await expect(figure(page, 'answered')).toHaveText('0');
    }
    await one(page).getByRole('radio').nth(1).check();
    await commit(one(page)).click();
    await expect(figure(page, 'right')).toHaveText('1');
  });

  for (const [how, script] of [
    [
      'refuses to be touched',
      () =>
        Object.defineProperty(window, 'localStorage', {
          get() {
            throw new DOMException('denied', 'SecurityError');
          },
        }),
    ],
    ['is not there', () => Object.defineProperty(window, 'localStorage', { value: null })],
    [
      'is full',
      () => {
        Storage.prototype.setItem = () => {
          throw new DOMException('full', 'QuotaExceededError');
        };
      },
    ],
    [
      'cannot be read',
      () => {
        Storage.prototype.getItem = () => {
          throw new DOMException('broken', 'InvalidStateError');
        };
      },
    ],
  ] as const) {
    test(`a storage that ${how} breaks nothing`, async ({ page }) => {
      await page.addInitScript(script);
      await open(page, '/?step=4');
      await two(page).getByRole('radio').nth(2).check();
      await commit(two(page)).click();
      await expect(reasons(two(page))).toHaveCount(4);
      await expect(figure(page, 'right')).toHaveText('1');
      await page.getByRole('button', { name: /^Theme/ }).click();
      await expect(page.locator('html')).toHaveAttribute('data-theme', 'light');
      await page.keyboard.press('ArrowRight');
      await expectStep(page, 5);
    });
  }

  test('the one about retries opens the player at the step that shows it', async ({ page }) => {
    await open(page, '/');
    await two(page).getByRole('radio').nth(2).check();
    await commit(two(page)).click();
    await two(page).getByRole('link').click();
    await expectFigures(page, { step: 6, charged: 1, attempts: 2 });
    await expect(page).toHaveURL(/[?&]step=6/);
    await expect(page.locator('#player-title')).toBeInViewport();
  });

  test('one that shows a fork moves the player to that fork, and Back comes back', async ({
    page,
  }) => {
    await open(page, '/?step=2');
    await one(page).getByRole('radio').nth(0).check();
    await commit(one(page)).click();
    await one(page).getByRole('link').click();
    await expectFigures(page, { step: 5, charged: 2 });
    await expect(page).toHaveURL(/scenario=without-key/);
    await expect(page.getByRole('radio', { name: 'Without a key' })).toBeChecked();
    await next(page).click();
    await expectStep(page, 6);
    await page.goBack();
    await expectFigures(page, { step: 2, charged: 0 });
    await expect(page.getByRole('radio', { name: 'With a key', exact: true })).toBeChecked();
  });
});

test.describe('the theme', () => {
  const scheme = (page: Page) =>
    page.evaluate(() => getComputedStyle(document.documentElement).colorScheme);
  const paper = (page: Page) =>
    page.evaluate(() => getComputedStyle(document.body).backgroundColor);

  test('is the system’s until it is chosen, and the choice survives a reload', async ({ page }) => {
    await page.emulateMedia({ colorScheme: 'dark' });
    await open(page, '/');
    const dark = await paper(page);
    await page.emulateMedia({ colorScheme: 'light' });
    const light = await paper(page);
    expect(light).not.toBe(dark);

    const button = page.getByRole('button', { name: /^Theme/ });
    await expect(button).toHaveAccessibleName(/Auto/);
    await button.click();
    await expect(button).toHaveAccessibleName(/Light/);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await scheme(page)).toBe('light');
    expect(await paper(page)).toBe(light);

    await button.click();
    await expect(button).toHaveAccessibleName(/Dark/);
    await page.emulateMedia({ colorScheme: 'light' });
    expect(await scheme(page)).toBe('dark');
    expect(await paper(page)).toBe(dark);
    await page.reload();
    await expect(button).toHaveAccessibleName(/Dark/);
    expect(await scheme(page)).toBe('dark');
    await page.goto('/lab');
    await expect(button).toHaveAccessibleName(/Dark/);
    expect(await paper(page)).toBe(dark);

    await button.click();
    await expect(button).toHaveAccessibleName(/Auto/);
    expect(await paper(page)).toBe(light);
    await page.reload();
    await expect(button).toHaveAccessibleName(/Auto/);
    expect(await paper(page)).toBe(light);
  });

  test('is set before anything is drawn', async ({ page, expected }) => {
    expected.console(/ERR_FAILED|dynamically imported module/);
    await page.addInitScript(() => localStorage.setItem('charge-once:theme', 'dark'));
    // Without the client nothing but the early script can have done it.
    await page.route(/\.(js|wasm)$/, (route) => route.abort());
    await page.goto('/', { waitUntil: 'domcontentloaded' });
    expect(await scheme(page)).toBe('dark');
  });
});

test.describe('the contents', () => {
  const parts = ['double', 'timeout', 'lost', 'why', 'check', 'next'];

  test('follow the reader down and up', async ({ page }) => {
    await open(page, '/');
    const current = page.locator('nav.toc [aria-current]');
    await expect(current).toHaveCount(1);
    for (const part of [...parts, ...parts.toReversed()]) {
      await page.evaluate((id) => {
        const top = document.getElementById(id)?.getBoundingClientRect().top ?? 0;
        window.scrollBy({ top: top - 20, behavior: 'instant' });
      }, part);
      await expect(current).toHaveCount(1);
      await expect(current).toHaveAttribute('href', `#${part}`);
    }
  });

  test('their links lead to the parts', async ({ page }) => {
    await open(page, '/');
    for (const part of parts) {
      await page.locator(`nav.toc a[href="#${part}"]`).click();
      await expect(page.locator(`#${part}`)).toBeInViewport();
      await expect(page).toHaveURL(`/#${part}`);
    }
  });

  test('on a narrow screen they open over the text', async ({ page }) => {
    await page.setViewportSize({ width: 360, height: 720 });
    await open(page, '/');
    await expect(page.locator('nav.toc')).toBeHidden();
    const mini = page.locator('.toc-mini');
    await mini.locator('summary').click();
    await mini.getByRole('link', { name: 'Why it held' }).click();
    await expect(page.locator('#why')).toBeInViewport();
    await expect(mini.locator('summary')).toContainText('Why it held');
    await expect(mini.locator('summary')).toContainText('4 of 6');
  });
});

test.describe('with reduced motion', () => {
  for (const when of ['from the start', 'while the page is open']) {
    test(`nothing moves and nothing is hidden (${when})`, async ({ page }) => {
      if (when === 'from the start') await page.emulateMedia({ reducedMotion: 'reduce' });
      await open(page, '/');
      await page.emulateMedia({ reducedMotion: 'reduce' });
      const words = async () => (await page.locator('.picture').innerText()).trim();
      let before = await words();
      for (let step = 2; step <= 8; step += 1) {
        await page.keyboard.press('ArrowRight');
        await expectStep(page, step);
        const state = await page.locator('.picture').evaluate((picture) => {
          const running = document.getAnimations().filter((it) => it.playState === 'running');
          const hidden = [...picture.querySelectorAll('*')].filter((element) => {
            const { opacity, visibility } = getComputedStyle(element);
            return Number(opacity) === 0 || visibility === 'hidden';
          });
          return { running: running.length, hidden: hidden.length };
        });
        expect(state, `at step ${step}`).toEqual({ running: 0, hidden: 0 });
        const now = await words();
        expect(now).not.toBe(before);
        before = now;
      }
      await expectFigures(page, { step: 8, charged: 1, attempts: 2 });
    });
  }

  test('the picture ends as it does with motion', async ({ page, stranger }) => {
    const other = await stranger.newPage();
    await other.emulateMedia({ reducedMotion: 'reduce' });
    for (const it of [page, other]) {
      await open(it, '/play/lost-response?step=4');
      await it.keyboard.press('ArrowRight');
      await expectStep(it, 5);
    }
    const drawn = (it: Page) => it.locator('.picture').innerHTML();
    expect(await drawn(other)).toBe(await drawn(page));
  });
});

test.describe('at 320 px', () => {
  for (const [how, viewport, scale] of [
    ['a small phone', { width: 320, height: 640 }, 2],
    ['1280 px at 400 %', { width: 320, height: 256 }, 4],
  ] as const) {
    test.describe(how, () => {
      test.use({ viewport, deviceScaleFactor: scale });

      for (const path of ['/', '/lab', '/api', '/play/without-key?step=5', '/play/early-retry?step=11']) {
        test(`${path} has no sideways scroll`, async ({ page }) => {
          await open(page, path);
          expect(await sideways(page)).toEqual({ over: 0, clips: false });
        });
      }

      test('no step makes one, and the buttons can be reached', async ({ page }) => {
        await open(page, '/play/new-key-on-retry');
        for (let step = 2; step <= 10; step += 1) {
          await next(page).click();
          await expectStep(page, step);
          expect(await sideways(page), `at step ${step}`).toEqual({ over: 0, clips: false });
        }
      });

      test('what is pinned leaves most of the screen to the text', async ({ page }) => {
        await open(page, '/play/lost-response?step=5');
        await page.mouse.wheel(0, 300);
        const pinned = await page.evaluate(() =>
          [...document.querySelectorAll('body *')]
            .filter((it) => /sticky|fixed/.test(getComputedStyle(it).position))
            .map((it) => it.getBoundingClientRect())
            .filter((box) => box.top < innerHeight && box.bottom > 0)
            .reduce((sum, box) => sum + box.height, 0),
        );
        expect(pinned).toBeLessThan(viewport.height / 2);
      });
    });
  }
});
