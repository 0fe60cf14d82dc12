// The `test` that every spec uses: a page that says anything on the console as an
// error or a warning, throws, or asks another host for something fails its test.
import { type BrowserContext, expect, test as base, type Page } from '@playwright/test';

export { expect };
export type { Page };

// A test that provokes an error says so first: `expected.console(/409/)`.
export class Expected {
  readonly patterns: RegExp[] = [];

  console(pattern: RegExp) {
    this.patterns.push(pattern);
  }
}

interface Fixtures {
  expected: Expected;
  complaints: string[];
  watched: void;
  // Another visitor: a browser of their own, watched like the first.
  stranger: BrowserContext;
}

export const test = base.extend<Fixtures>({
  expected: async ({}, use) => {
    await use(new Expected());
  },
  complaints: async ({}, use) => {
    await use([]);
  },
  watched: [
    async ({ context, baseURL, expected, complaints }, use) => {
      watch(context, baseURL, complaints);
      await use();
      const unexpected = complaints.filter(
        (text) => !expected.patterns.some((pattern) => pattern.test(text)),
      );
      expect(unexpected, 'the page complained').toEqual([]);
    },
    { auto: true },
  ],
  stranger: async ({ browser, baseURL, complaints }, use) => {
    const context = await browser.newContext();
    watch(context, baseURL, complaints);
    await use(context);
    await context.close();
  },
});

function watch(context: BrowserContext, baseURL: string | undefined, complaints: string[]) {
  const host = new URL(baseURL ?? 'http://127.0.0.1').host;
  context.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') {
      complaints.push(`console ${message.type()}: ${message.text()}`);
    }
  });
  context.on('weberror', (error) => {
    complaints.push(`uncaught: ${error.error().message}`);
  });
  context.on('request', (request) => {
    const url = new URL(request.url());
    if (/^(https?|wss?):$/.test(url.protocol) && url.host !== host) {
      complaints.push(`request to another host: ${url.href}`);
    }
  });
}

// Opens a path and waits until every island on the page has hydrated.
export async function open(page: Page, path: string) {
  await page.goto(path);
  await hydrated(page);
}

// Islands mark the element they render with `data-ready` once they have hydrated.
// One that renders nothing has nothing to mark.
export async function hydrated(page: Page) {
  await expect
    .poll(() =>
      page.evaluate(() =>
        [...document.querySelectorAll('leptos-island')]
          .filter((island) => island.firstElementChild && !island.querySelector('[data-ready]'))
          .map((island) => island.getAttribute('data-component')),
      ),
    )
    .toEqual([]);
}

// A figure that the page names.
export const figure = (page: Page, name: string) => page.locator(`output[name="${name}"]`);

// How far the page can be scrolled sideways, in px, and whether it hides that.
export const sideways = (page: Page) =>
  page.evaluate(() => {
    const root = document.documentElement;
    const clips = [root, document.body].some((it) =>
      /hidden|clip/.test(getComputedStyle(it).overflowX),
    );
    return { over: Math.max(0, root.scrollWidth - root.clientWidth), clips };
  });
