import { expect, figure, type Page } from './page';

export interface Figures {
  step: string;
  intended: string;
  charged: string;
  attempts: string;
}

// What the player shows now.
export async function figures(page: Page): Promise<Figures> {
  const [step, intended, charged, attempts] = await Promise.all(
    ['step', 'intended', 'charged', 'attempts'].map((name) => figure(page, name).innerText()),
  );
  return { step, intended, charged, attempts } as Figures;
}

export async function expectFigures(page: Page, expected: Partial<Record<keyof Figures, number>>) {
  const wanted = Object.fromEntries(
    Object.entries(expected).map(([name, number]) => [name, String(number)]),
  );
  await expect.poll(() => figures(page)).toMatchObject(wanted);
}

export const expectStep = (page: Page, step: number) => expectFigures(page, { step });

export const next = (page: Page) => page.getByRole('button', { name: 'Next step' });
export const previous = (page: Page) => page.getByRole('button', { name: 'Previous step' });
export const play = (page: Page) => page.getByRole('button', { name: 'Play', exact: true });
export const pause = (page: Page) => page.getByRole('button', { name: 'Pause', exact: true });
export const scrubber = (page: Page) => page.getByRole('slider', { name: 'Step' });

// Chooses a fork by its words.
export const fork = (page: Page, name: string) =>
  page.locator('.forks').getByRole('radio', { name, exact: true }).check();

// The sentence that screen readers hear.
export const voice = (page: Page) => page.locator('.player p[role="status"]');

// Notes every text that the live region gets from now on.
export async function listen(page: Page): Promise<() => Promise<string[]>> {
  await voice(page).evaluate((region) => {
    const said: string[] = [];
    Object.assign(window, { said });
    new MutationObserver(() => said.push(region.textContent?.trim() ?? '')).observe(region, {
      characterData: true,
      childList: true,
      subtree: true,
    });
  });
  return () => page.evaluate(() => (window as unknown as { said: string[] }).said);
}

// Puts the page's clock into the test's hands. Playwright's own timers have ids
// that do not fit into the 32 bits that WASM takes a timer's id to be, so that it
// could never stop one: here they get small ones. Call before the page is opened.
export async function virtualTime(page: Page) {
  await page.clock.install();
  await page.addInitScript(() => {
    const ids: unknown[] = [];
    for (const kind of ['Timeout', 'Interval']) {
      const timers = window as unknown as Record<string, (...args: unknown[]) => unknown>;
      const set = timers[`set${kind}`];
      const clear = timers[`clear${kind}`];
      timers[`set${kind}`] = (...args) => ids.push(set(...args));
      timers[`clear${kind}`] = (id) => clear(ids[Number(id) - 1]);
    }
  });
}
