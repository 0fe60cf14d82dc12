// The player of the lesson's scenarios.
import type { Locator, Page } from '@playwright/test';

import { expect, figure, open, test } from './support/page';
import {
  expectFigures,
  expectStep,
  figures,
  fork,
  listen,
  next,
  pause,
  play,
  previous,
  scrubber,
  virtualTime,
  voice,
} from './support/player';

const LOST = '/play/lost-response';
const CHARGED = [0, 0, 1, 1, 1, 1, 1, 1];
const ATTEMPTS = [1, 1, 1, 1, 1, 2, 2, 2];

for (const path of ['/', LOST]) {
  test(`${path}: the arrow keys go through all eight steps and back`, async ({ page }) => {
    await open(page, path);
    await expect(figure(page, 'steps')).toHaveText('8');
    for (let step = 1; step <= 8; step += 1) {
      if (step > 1) await page.keyboard.press('ArrowRight');
      await expectFigures(page, {
        step,
        intended: 1,
        charged: CHARGED[step - 1],
        attempts: ATTEMPTS[step - 1],
      });
    }
    for (let step = 7; step >= 1; step -= 1) {
      await page.keyboard.press('ArrowLeft');
      await expectFigures(page, {
        step,
        charged: CHARGED[step - 1],
        attempts: ATTEMPTS[step - 1],
      });
    }
  });
}

test('belief and truth part at step 5 and meet at step 7', async ({ page }) => {
  await open(page, `${LOST}?step=5`);
  const belief = figure(page, 'belief');
  const truth = figure(page, 'truth');
  await expect(belief).toHaveText(/unknown/i);
  await expect(truth).toHaveText(/^Charged once, ch_\d+; the reply is lost$/);
  const charge = (await truth.innerText()).match(/ch_\d+/)?.[0] ?? 'no charge';
  await expect(page.locator('.cmp .diff')).not.toHaveCount(0);
  await next(page).click();
  await expect(belief).toHaveText(/unknown/i);
  await next(page).click();
  await expect(belief).toHaveText(`Paid once, ${charge}`);
  await expect(truth).toHaveText(`Charged once, ${charge}`);
  await expect(page.locator('.cmp .diff')).toHaveCount(0);
});

test('the first and the last step are the ends', async ({ page }) => {
  await open(page, LOST);
  await page.keyboard.press('ArrowLeft');
  await pressDead(previous(page));
  await page.keyboard.press('ArrowRight');
  await expectStep(page, 2);
  await page.keyboard.press('ArrowLeft');
  for (let press = 0; press < 11; press += 1) await page.keyboard.press('ArrowRight');
  await expectStep(page, 8);
  await pressDead(next(page));
  await page.keyboard.press('ArrowLeft');
  await expectStep(page, 7);
});

// Presses a button that says that it does nothing now.
async function pressDead(button: Locator) {
  await expect(button).toHaveAttribute('aria-disabled', 'true');
  await button.click({ force: true });
}

test('quick presses are all counted', async ({ page }) => {
  await open(page, LOST);
  await Promise.all(Array.from({ length: 5 }, () => page.keyboard.press('ArrowRight')));
  await expectStep(page, 6);
  // All within one turn of the event loop, before anything can be drawn.
  const burst = (key: string, count: number) =>
    page.evaluate(
      ([key, count]) => {
        for (let press = 0; press < count; press += 1) {
          const init = { key, bubbles: true, cancelable: true };
          document.body.dispatchEvent(new KeyboardEvent('keydown', init));
        }
      },
      [key, count] as const,
    );
  await burst('ArrowLeft', 4);
  await expectStep(page, 2);
  await burst('ArrowRight', 3);
  await expectStep(page, 5);
  await burst('ArrowRight', 30);
  await expectStep(page, 8);
  await page.keyboard.press('ArrowLeft');
  await expectStep(page, 7);
});

test('the buttons step, and clicks that follow each other are all counted', async ({ page }) => {
  await open(page, LOST);
  await next(page).click();
  await expectStep(page, 2);
  await next(page).evaluate((button: HTMLButtonElement) => {
    for (let click = 0; click < 4; click += 1) button.click();
  });
  await expectStep(page, 6);
  await previous(page).click();
  await expectStep(page, 5);
  // A button that has the focus leaves the arrow keys to the player.
  await page.keyboard.press('ArrowRight');
  await expectStep(page, 6);
  await page.keyboard.press('Enter');
  await expectStep(page, 5);
});

test('arrows that are typed in a field move nothing else', async ({ page }) => {
  await open(page, '/?step=3');
  const fields = [
    page.getByLabel('Seed of the random wait'),
    page.getByLabel('Payments a second'),
    page.getByLabel('One reply lost in so many calls'),
    page.getByLabel('Dollars for one payment'),
    page.getByLabel('Speed'),
  ];
  for (const field of fields) {
    await field.focus();
    for (const key of ['ArrowRight', 'ArrowRight', 'ArrowLeft', 'ArrowRight']) {
      await page.keyboard.press(key);
    }
    // Were one of them counted, this step would not be the fourth and then the third.
    await next(page).click();
    await expectStep(page, 4);
    await previous(page).click();
    await expectStep(page, 3);
  }
  await page.evaluate(() => {
    const area = document.createElement('textarea');
    const div = document.createElement('div');
    div.contentEditable = 'true';
    div.innerHTML = '<p><b id="inside">text</b></p>';
    document.querySelector('main')?.append(area, div);
    for (const target of [area, div, document.querySelector('#inside')]) {
      const init = { key: 'ArrowRight', bubbles: true, cancelable: true };
      target?.dispatchEvent(new KeyboardEvent('keydown', init));
    }
  });
  await page.keyboard.press('Escape');
  await next(page).click();
  await expectStep(page, 4);
});

test('a press on the scrubber is one step, not two', async ({ page }) => {
  await open(page, LOST);
  await scrubber(page).focus();
  await page.keyboard.press('ArrowRight');
  await expectStep(page, 2);
  await expect(scrubber(page)).toHaveValue('2');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await expectStep(page, 4);
  await page.keyboard.press('ArrowLeft');
  await expectStep(page, 3);
  await page.keyboard.press('End');
  await expectStep(page, 8);
  await expect(scrubber(page)).toHaveAttribute('aria-valuetext', /^Step 8 of 8: ./);
  await scrubber(page).fill('5');
  await expectFigures(page, { step: 5, charged: 1, attempts: 1 });
});

test('keys with a modifier are left to the browser', async ({ page }) => {
  await open(page, `${LOST}?step=3`);
  const free = await page.evaluate(() =>
    ['altKey', 'ctrlKey', 'metaKey', 'shiftKey'].flatMap((modifier) =>
      ['ArrowLeft', 'ArrowRight'].map((key) =>
        document.body.dispatchEvent(
          new KeyboardEvent('keydown', { key, [modifier]: true, bubbles: true, cancelable: true }),
        ),
      ),
    ),
  );
  expect(free, 'no default is prevented').toEqual(Array(8).fill(true));
  const plain = await page.evaluate(() =>
    document.body.dispatchEvent(
      new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true, cancelable: true }),
    ),
  );
  expect(plain, 'a plain arrow is taken').toBe(false);
  await expectStep(page, 4);
});

test('arrows among the forks choose a fork and move no step', async ({ page }) => {
  await open(page, `${LOST}?step=3`);
  await page.getByRole('radio', { name: 'With a key', exact: true }).focus();
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('radio', { name: 'Without a key' })).toBeChecked();
  await expectStep(page, 3);
  await expect(figure(page, 'steps')).toHaveText('6');
});

test.describe('while it plays', () => {
  test.beforeEach(async ({ page }) => {
    await virtualTime(page);
  });

  // Lets time pass until the player is at a step.
  const until = (page: Page, step: number) =>
    expect
      .poll(async () => {
        const shown = await figure(page, 'step').innerText();
        if (shown !== String(step)) await page.clock.runFor(500);
        return figure(page, 'step').innerText();
      }, { intervals: [10] })
      .toBe(String(step));

  test('it goes on by itself, pauses, and stops at the end', async ({ page }) => {
    await open(page, LOST);
    await page.clock.pauseAt(Date.now() + 3_600_000);
    await play(page).click();
    await until(page, 2);
    await until(page, 3);
    await pause(page).click();
    await page.clock.runFor(60_000);
    await expectStep(page, 3);
    await play(page).click();
    await until(page, 8);
    await expect(play(page)).toBeVisible();
    await page.clock.runFor(60_000);
    await expectStep(page, 8);
    // From the end it starts over.
    await play(page).click();
    await expectStep(page, 1);
    await until(page, 2);
  });

  test('a step by hand ends it', async ({ page }) => {
    await open(page, LOST);
    await page.clock.pauseAt(Date.now() + 3_600_000);
    await play(page).click();
    await until(page, 2);
    await page.keyboard.press('ArrowRight');
    await expect(play(page)).toBeVisible();
    await page.clock.runFor(60_000);
    await expectStep(page, 3);
  });

  test('its speed can be changed on the way', async ({ page }) => {
    await open(page, LOST);
    await page.clock.pauseAt(Date.now() + 3_600_000);
    const steps = async () => {
      await page.clock.runFor(10_000);
      await pause(page).click();
      const { step } = await figures(page);
      await scrubber(page).fill('1');
      return Number(step) - 1;
    };
    await play(page).click();
    await page.getByLabel('Speed').selectOption('0.5×');
    const slow = await steps();
    await page.getByLabel('Speed').selectOption('1×');
    await play(page).click();
    const usual = await steps();
    expect(slow).toBeGreaterThan(0);
    expect(usual).toBeGreaterThan(slow);
  });

  test('the live region is silent, and says one sentence for each step by hand', async ({
    page,
  }) => {
    await open(page, LOST);
    await page.clock.pauseAt(Date.now() + 3_600_000);
    const said = await listen(page);
    await play(page).click();
    await until(page, 4);
    await pause(page).click();
    expect(await said()).toEqual([]);
    await next(page).click();
    await expect(voice(page)).toHaveText(/^Step 5 of 8\. [^.]+\.?$/);
    expect(await said()).toHaveLength(1);
    await page.keyboard.press('ArrowLeft');
    await expect(voice(page)).toHaveText(/^Step 4 of 8\. [^.]+\.?$/);
    expect(await said()).toHaveLength(2);
  });
});

test('only one thing on the page speaks when a step changes', async ({ page }) => {
  await open(page, LOST);
  const speaking = await page.evaluate(
    () =>
      [...document.querySelectorAll('.player output')].filter(
        (output) => output.getAttribute('aria-live') !== 'off',
      ).length,
  );
  expect(speaking, 'an output is a live region unless it is told not to be').toBe(0);
});

test.describe('forks', () => {
  const FORKS = [
    { name: 'Without a key', slug: 'without-key', charged: 2 },
    { name: 'New key on retry', slug: 'new-key-on-retry', charged: 2 },
    { name: 'Retry arrives early', slug: 'early-retry', charged: 1 },
    { name: 'With a key', slug: 'lost-response', charged: 1 },
  ];

  for (const { name, slug, charged } of FORKS) {
    test(`${name}: ${charged} at the end`, async ({ page }) => {
      await open(page, slug === 'lost-response' ? '/play/without-key?step=2' : `${LOST}?step=2`);
      await fork(page, name);
      await expect(page).toHaveURL(`/play/${slug}?seed=1&step=2`);
      await expectStep(page, 2);
      await scrubber(page).press('End');
      await expectFigures(page, { intended: 1, charged, attempts: slug === 'early-retry' ? 3 : 2 });
      const last = Number(await figure(page, 'steps').innerText());
      await expect(page).toHaveURL(`/play/${slug}?seed=1&step=${last}`);
      await expect(page.getByRole('radio', { name, exact: true })).toBeChecked();
      // What was computed here is what the server computes.
      const panes = () =>
        page
          .locator('.player')
          .locator('.player__head, .player__main, .cmp, .tr')
          .evaluateAll((panes: HTMLElement[]) => panes.map((pane) => pane.innerText));
      const picture = () => page.locator('.picture').innerHTML();
      const shown = [await panes(), await picture()];
      await page.reload();
      await expect.poll(async () => [await panes(), await picture()]).toEqual(shown);
    });
  }

  test('a retry that comes early is told 409, and charged once', async ({ page }) => {
    await open(page, '/play/early-retry');
    const told = page.locator('.tr li').filter({ hasText: '409' });
    await expect(told).not.toHaveCount(0);
    const at = await told.first().locator('a').getAttribute('data-step');
    await told.first().locator('a').click();
    await expectFigures(page, { step: Number(at), charged: 1, attempts: 2 });
    await expect(page.locator('#player-title')).toContainText('409');
    await expect(figure(page, 'belief')).toHaveText(/told to wait/);
  });

  test('in the lesson, the address names the fork as well', async ({ page }) => {
    await open(page, '/?step=4');
    await fork(page, 'New key on retry');
    await expect(page).toHaveURL('/?scenario=new-key-on-retry&step=4#lost');
    await next(page).click();
    await expect(page).toHaveURL('/?scenario=new-key-on-retry&step=5#lost');
    await page.reload();
    await expectFigures(page, { step: 5, charged: 1 });
    await expect(page.getByRole('radio', { name: 'New key on retry' })).toBeChecked();
  });
});

test.describe('the address', () => {
  for (const path of ['/?step=5', `${LOST}?step=5`, `${LOST}?seed=1&step=5`]) {
    test(`${path} opens at step 5`, async ({ page }) => {
      await open(page, path);
      await expectFigures(page, { step: 5, intended: 1, charged: 1, attempts: 1 });
      await page.keyboard.press('ArrowRight');
      await expectStep(page, 6);
    });
  }

  test('/?scenario=without-key&step=5 opens the fork', async ({ page }) => {
    await open(page, '/?scenario=without-key&step=5');
    await expectFigures(page, { step: 5, charged: 2 });
  });

  const ODD = [
    ['99', 8],
    ['9', 8],
    ['0', 1],
    ['-3', 1],
    ['five', 1],
    ['', 1],
    ['1e3', 1],
    ['99999999999999999999999', 1],
    ['%F0%9F%92%B3', 1],
  ] as const;
  for (const [asked, step] of ODD) {
    test(`step=${asked} opens at step ${step}`, async ({ page }) => {
      await open(page, `${LOST}?step=${asked}`);
      await expectFigures(page, { step, charged: CHARGED[step - 1] });
      await page.keyboard.press(step === 8 ? 'ArrowLeft' : 'ArrowRight');
      await expectStep(page, step === 8 ? 7 : 2);
    });
  }

  test('a scenario that is not known opens the first one in the lesson', async ({ page }) => {
    await open(page, '/?scenario=nonsense&seed=x&step=2');
    await expectFigures(page, { step: 2 });
    await expect(page.getByRole('radio', { name: 'With a key', exact: true })).toBeChecked();
  });

  for (const path of ['/', LOST]) {
    test(`${path}: steps do not fill the history`, async ({ page }) => {
      await open(page, path);
      const length = () => page.evaluate(() => history.length);
      const before = await length();
      for (let press = 0; press < 7; press += 1) await page.keyboard.press('ArrowRight');
      await expect(page).toHaveURL(/step=8/);
      expect(await length()).toBe(before);
      await fork(page, 'Without a key');
      await expect(page).toHaveURL(/without-key/);
      expect(await length(), 'a fork is an entry').toBe(before + 1);
    });

    test(`${path}: Back after a fork returns to the scenario before`, async ({ page }) => {
      await open(page, path);
      await page.evaluate(() => Object.assign(window, { still: 'here' }));
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('ArrowRight');
      await expectStep(page, 3);
      await fork(page, 'Without a key');
      await expect(figure(page, 'steps')).toHaveText('6');
      await next(page).click();
      await expectStep(page, 4);
      await fork(page, 'Retry arrives early');
      await expect(figure(page, 'steps')).toHaveText('11');

      await page.goBack();
      await expect(page.getByRole('radio', { name: 'Without a key' })).toBeChecked();
      await expectStep(page, 4);
      await page.goBack();
      await expect(page.getByRole('radio', { name: 'With a key', exact: true })).toBeChecked();
      await expectStep(page, 3);
      await expect(figure(page, 'steps')).toHaveText('8');
      await page.goForward();
      await expect(page.getByRole('radio', { name: 'Without a key' })).toBeChecked();
      await expectStep(page, 4);
      const still = await page.evaluate(() => Reflect.get(window, 'still'));
      expect(still, 'the same document').toBe('here');
    });
  }

  for (const path of ['/', LOST]) {
    test(`${path}: a reload keeps the step`, async ({ page }) => {
      await open(page, path);
      for (let press = 0; press < 5; press += 1) await page.keyboard.press('ArrowRight');
      await expect(page).toHaveURL(/step=6/);
      await page.reload();
      await expectFigures(page, { step: 6, charged: 1, attempts: 2 });
    });
  }

  test('the link to a step leads there', async ({ page }) => {
    await open(page, '/?step=4');
    await page.keyboard.press('ArrowRight');
    await page.getByRole('link', { name: 'This step on a page of its own' }).click();
    await expect(page).toHaveURL('/play/lost-response?seed=1&step=5');
    await expectFigures(page, { step: 5, charged: 1 });
  });

  test('another seed is another wait, and stays in the address', async ({ page }) => {
    await open(page, `${LOST}?step=6`);
    const wait = async () => (await page.locator('.say').innerText()).match(/Waits [\d.]+ m?s/)?.[0];
    const before = await wait();
    expect(before).toBeDefined();
    await page.getByLabel('Seed of the random wait').fill('7');
    await page.getByLabel('Seed of the random wait').press('Enter');
    await expect(page).toHaveURL(`${LOST}?seed=7&step=6`);
    await expect.poll(wait).not.toBe(before);
    const after = await wait();
    await page.reload();
    await expect.poll(wait, 'the server draws the same').toBe(after);
    await expect(page.getByLabel('Seed of the random wait')).toHaveValue('7');
  });
});

test('the transcript lists every step, marks the one that is shown, and leads to each', async ({
  page,
}) => {
  await open(page, LOST);
  const items = page.locator('.tr ol > li');
  await expect(items).toHaveCount(8);
  await expect(items.nth(0)).toHaveAttribute('aria-current', 'step');
  await items.nth(4).getByRole('link').click();
  await expectStep(page, 5);
  await expect(page.locator('.tr [aria-current]')).toHaveCount(1);
  await expect(items.nth(4)).toHaveAttribute('aria-current', 'step');
});

test('after a press on a fork the arrow keys step on', async ({ page }) => {
  await open(page, '/play/lost-response?step=2');
  await fork(page, 'Without a key');
  await expect(page).toHaveURL(/without-key/);
  await page.keyboard.press('ArrowRight');
  await expectStep(page, 3);
  await expect(page).toHaveURL(/without-key/);
});

test.describe('predict, then reveal', () => {
  test('a guess is a commitment', async ({ page }) => {
    await open(page, '/play/lost-response?step=2');
    const predict = page.locator('.predict');
    await predict.getByLabel('1', { exact: true }).check();
    await expect(predict).toContainText('You said 1. It is 2.');
    for (const radio of await predict.getByRole('radio').all()) {
      await expect(radio).toBeDisabled();
    }
  });

  const CASES = [
    { slug: 'lost-response', wrong: 1, right: 2 },
    { slug: 'without-key', wrong: 2, right: 1 },
    { slug: 'new-key-on-retry', wrong: 1, right: 2 },
  ];
  for (const { slug, wrong, right } of CASES) {
    test(`${slug}: ${right} is right and ${wrong} is not`, async ({ page }) => {
      await open(page, `/play/${slug}?step=2`);
      const predict = page.locator('.predict');
      await expect(predict).not.toContainText('You said');
      await predict.getByLabel(String(wrong), { exact: true }).check();
      await expect(predict).toContainText(`You said ${wrong}. It is ${right}.`);
      // It stays beside the result.
      await page.keyboard.press('Tab');
      await next(page).click();
      await next(page).click();
      await expectStep(page, 4);
      await expect(predict).toContainText(`You said ${wrong}. It is ${right}.`);
      await open(page, `/play/${slug}`);
      await predict.getByLabel(String(right), { exact: true }).check();
      await expect(predict).toContainText(`You said ${right}, and ${right} it is.`);
    });
  }
});
