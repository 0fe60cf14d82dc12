// The `test` that every spec uses: a page that says anything on the console as an
// error or a warning, throws, or asks another host for something fails its test.
import { expect, test as base, type Page } from '@playwright/test';

export { expect };

// A test that provokes an error says so first: `expected.console(/409/)`.
export class Expected {
  readonly patterns: RegExp[] = [];

  console(pattern: RegExp) {
    this.patterns.push(pattern);
  }
}

export const test = base.extend<{ expected: Expected; watched: void }>({
  expected: async ({}, use) => {
    await use(new Expected());
  },
  watched: [
    async ({ context, baseURL, expected }, use) => {
      const complaints: string[] = [];
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
      await use();
      const unexpected = complaints.filter(
        (text) => !expected.patterns.some((pattern) => pattern.test(text)),
      );
      expect(unexpected, 'the page complained').toEqual([]);
    },
    { auto: true },
  ],
});

// Opens a path and waits until every island on the page has hydrated.
export async function open(page: Page, path: string) {
  await page.goto(path);
  await hydrated(page);
}

// Islands mark the element they render with `data-ready` once they have hydrated.
export async function hydrated(page: Page) {
  await expect
    .poll(() =>
      page.evaluate(() => {
        const islands = [...document.querySelectorAll('leptos-island')];
        return islands.filter((island) => !island.querySelector('[data-ready]')).length;
      }),
    )
    .toBe(0);
}
