// The calculator: a function of its address, with and without JavaScript.
import { AxeBuilder } from '@axe-core/playwright';

import { expect, figure, open, sideways, test } from './support/page';

const FIVE = '/retry?attempts=5&base=100&factor=2&cap=2000&jitter=full&timeout=500&p=0.5&deadline=';

const FIGURES = {
  attempts: '5',
  retries: '4',
  success: '0.96875',
  'expected-attempts': '1.9375',
  'expected-wait': '100',
  'worst-wait': '1500',
  'worst-total': '4000',
  'wait-p50': '750',
  'wait-p90': '1105.39',
  'wait-p95': '1183.17',
  'wait-p99': '1298.72',
};

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });
  test.beforeEach(({ expected }) => {
    expected.console(/preloaded using link preload but not used/);
  });

  test('the figures are those of the address', async ({ page }) => {
    await page.goto(FIVE);
    for (const [name, text] of Object.entries(FIGURES)) {
      await expect(figure(page, name)).toHaveText(text);
    }
    await expect(page.locator('#c-schedule tbody tr')).toHaveCount(5);
    await expect(page.locator('#c-added svg').first()).toBeVisible();
    await expect(page.locator('[data-reader]').first()).toBeHidden();
  });

  test('the form asks for the page again', async ({ page }) => {
    await page.goto(FIVE);
    await page.getByLabel('Attempts', { exact: true }).fill('3');
    await page.getByLabel('An attempt fails with probability').fill('0,1');
    await page.getByRole('button', { name: 'Work it out' }).click();
    await expect(page).toHaveURL(/attempts=3&.*p=0(%2C|,)1/);
    await expect(figure(page, 'success')).toHaveText('0.999');
    // Understood, and shown back.
    await expect(page.getByLabel('An attempt fails with probability')).toHaveValue('0.1');
  });

  test('what is out of range is said beside its field, and the rest is kept', async ({ page }) => {
    await page.goto('/retry?attempts=1025&base=50&p=0.25&factor=0.5');
    for (const [label, says] of [
      ['Attempts', 'At most 1000 attempts'],
      ['Factor', 'At least 1'],
    ] as const) {
      const field = page.getByLabel(label, { exact: true });
      await expect(field).toHaveAttribute('aria-invalid', 'true');
      await expect(field).toHaveAccessibleDescription(new RegExp(says));
    }
    await expect(page.getByLabel('Attempts', { exact: true })).toHaveValue('1025');
    await expect(page.getByLabel('Base: the first wait')).toHaveValue('50');
    await expect(page.getByLabel('An attempt fails with probability')).toHaveValue('0.25');
    for (const name of ['success', 'worst-wait', 'wait-p99']) {
      await expect(figure(page, name)).toHaveText(/^[\d.,]+$/);
    }
  });

  test('each preset is a link to its values', async ({ page }) => {
    await page.goto('/retry');
    const presets = page.locator('[data-preset]');
    await expect(presets).toHaveCount(13);
    await page.locator('[data-preset="urllib3"]').getByRole('link').click();
    await expect(figure(page, 'attempts')).toHaveText('11');
    await expect(figure(page, 'retries')).toHaveText('10');
    await expect(page.locator('.studio__is')).toContainText('urllib3');
  });
});

test('typing changes the figures and the address', async ({ page }) => {
  await open(page, FIVE);
  await page.getByLabel('Attempts', { exact: true }).fill('3');
  await expect(figure(page, 'success')).toHaveText('0.875');
  await expect(figure(page, 'expected-attempts')).toHaveText('1.75');
  await expect(page).toHaveURL(/\/retry\?attempts=3&/);
  await page.getByLabel('Jitter').selectOption('decorrelated');
  await expect(page.locator('#c-spike')).toBeVisible();
  await page.getByLabel('Jitter').selectOption('share');
  await expect(page.locator('#c-spike')).toHaveCount(0);
  await expect(page.getByLabel('Share', { exact: true })).toBeVisible();
  const address = page.url();
  const figures = await page.locator('.studio output').allInnerTexts();
  await open(page, address);
  expect(await page.locator('.studio output').allInnerTexts()).toEqual(figures);
});

test('a comma is understood, and a mistake leaves what was typed', async ({ page }) => {
  await open(page, FIVE);
  const p = page.getByLabel('An attempt fails with probability');
  await p.fill('0,1');
  await expect(figure(page, 'expected-wait')).toHaveText('6.24');
  await expect(p).toHaveValue('0,1');
  await p.blur();
  await expect(p).toHaveValue('0.1');
  await p.fill('1,5');
  await expect(p).toHaveAttribute('aria-invalid', 'true');
  await expect(p).toHaveAccessibleDescription(/At most 1\. The figures use 0\.1 meanwhile\./);
  await expect(p).toHaveValue('1,5');
  await expect(page.getByLabel('Attempts', { exact: true })).toHaveValue('5');
  await expect(page.locator('[data-said]')).toContainText('1 field is not understood');
  await p.fill('0,5');
  await expect(p).not.toHaveAttribute('aria-invalid');
  await expect(figure(page, 'expected-wait')).toHaveText('100');
});

test('the browser draws what the server draws', async ({ page, request }) => {
  await open(page, '/retry');
  for (const [label, value] of [
    ['Attempts', '7'],
    ['Base: the first wait', '80'],
    ['Deadline for all', '3000'],
    ['p99 of the service', '900'],
  ] as const) {
    await page.getByLabel(label, { exact: true }).fill(value);
  }
  await page.getByLabel('Jitter').selectOption('equal');
  await expect(page).toHaveURL(/attempts=7.*jitter=equal.*deadline=3000&p99=900/);
  const alive = await page.locator('[data-results]').innerHTML();
  const path = page.url().replace(/^https?:\/\/[^/]+/, '');
  const text = await (await request.get(path)).text();
  // The sliders and the buttons to copy are shown by the script alone.
  const plain = (html: string) => html.replace(/ hidden(="")?(?=[ >])/g, '');
  const drawn = await page.evaluate((text) => {
    const page = new DOMParser().parseFromString(text, 'text/html');
    return page.querySelector('[data-results]')?.innerHTML ?? '';
  }, text);
  expect(plain(alive)).toBe(plain(drawn));
});

test('a chart is read with the keyboard', async ({ page }) => {
  await open(page, FIVE);
  const slider = page.getByRole('slider', { name: 'Points of: When each attempt can start and run' });
  await slider.focus();
  const said = page.locator('#c-schedule output');
  await expect(said).toContainText('Attempt: 1;');
  await slider.press('ArrowRight');
  await expect(said).toContainText('Attempt: 2; Nominal wait, ms: 100; Wait before it, ms: 0 to 100');
  await expect(slider).toHaveAttribute('aria-valuetext', await said.innerText());
  await slider.press('End');
  await expect(said).toContainText('Attempt: 5;');
  await expect(page.locator('#c-schedule .c-at').first()).toHaveAttribute('visibility', 'visible');
});

test('the critic says how bad it is and where the lesson explains it', async ({ page }) => {
  await open(page, '/retry?attempts=4&jitter=none&timeout=500&p99=800');
  const finding = page.locator('[data-flaw="timeout-below-p99"]');
  await expect(finding).toContainText(/Fault|Warning/);
  const link = finding.getByRole('link');
  await expect(link).toHaveAttribute('href', '/#timeout');
  await link.click();
  await expect(page.locator('h2#timeout')).toBeVisible();
});

test('every finding leads to a heading that is there', async ({ page, request }) => {
  const lesson = await (await request.get('/')).text();
  await open(page, '/retry?attempts=40&jitter=none&factor=1&p99=9&retention=0.001&layers=3&trouble=overload&retry-after=ignore');
  const links = await page.locator('[data-flaw] a').evaluateAll((all) => all.map((a) => a.getAttribute('href') ?? ''));
  expect(links.length).toBeGreaterThan(4);
  for (const link of links) {
    expect(lesson).toContain(`id="${link.replace('/#', '')}"`);
  }
});

test('code is copied and taken as a file', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await open(page, FIVE);
  await page.locator('summary', { hasText: 'Python' }).click();
  const code = page.locator('#code-python-by-hand');
  await page.locator('[data-copy="code-python-by-hand"]').click();
  await expect(page.locator('[data-copy="code-python-by-hand"]')).toHaveText('Copied');
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toBe(await code.evaluate((it) => it.textContent));
  expect(copied).toMatch(/\b5\b/);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download send.py' }).first().click(),
  ]);
  expect(download.suggestedFilename()).toBe('send.py');
  // What was unfolded stays so when a value changes.
  await page.getByLabel('Attempts', { exact: true }).fill('6');
  await expect(figure(page, 'attempts')).toHaveText('6');
  await expect(code).toBeVisible();
});

test('the figures as CSV and the charts as SVG', async ({ request }) => {
  const csv = await request.get(FIVE.replace('/retry?', '/retry.csv?'));
  expect(csv.headers()['content-type']).toBe('text/csv; charset=utf-8');
  expect(csv.headers()['content-disposition']).toBe('attachment; filename="retry.csv"');
  const lines = (await csv.text()).split('\r\n');
  expect(lines[0]).toBe('figure,value,unit,basis,error');
  expect(lines).toContain('success,0.96875,,exact,0');
  expect(lines).toContain('expected-wait,100,ms,exact,0');
  expect(lines).toContain('5,800,0,800,2000,3500,always');
  const p99 = lines.find((line) => line.startsWith('wait-p99,'))?.split(',')[1];
  expect(Number(p99)).toBeCloseTo(1298.72, 2);

  const svg = await request.get(FIVE.replace('/retry?', '/retry.svg?'));
  expect(svg.headers()['content-type']).toBe('image/svg+xml');
  const text = await svg.text();
  expect(text).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg"/);
  expect(text).not.toContain('NaN');
});

test('the SVG file shows its charts by itself', async ({ page, request }) => {
  const svg = await (await request.get(FIVE.replace('/retry?', '/retry.svg?'))).text();
  await page.setContent(svg);
  await expect(page.locator('svg .h')).toHaveCount(3);
  // Its own style sheet is enough to draw with.
  const line = page.locator('svg .c-client .c-line').first();
  await expect(line).toHaveCSS('fill', 'none');
  await expect(line).toHaveCSS('stroke-width', '2px');
});

test('only the embedded view may stand in a frame', async ({ page, request }) => {
  const policy = async (path: string) =>
    (await request.get(path, { headers: { Accept: 'text/html' } })).headers()['content-security-policy'];
  for (const path of ['/retry', '/', '/lab', '/embed/nothing', '/retry.csv']) {
    expect(await policy(path), path).toContain("frame-ancestors 'none'");
  }
  const embedded = await policy('/embed/retry');
  expect(embedded).toContain('frame-ancestors *');
  expect(embedded).toContain("default-src 'none'");
  await open(page, FIVE.replace('/retry?', '/embed/retry?'));
  await expect(figure(page, 'expected-wait')).toHaveText('100');
  await expect(page.locator('.mast, .foot')).toHaveCount(0);
  await page.getByLabel('Attempts', { exact: true }).fill('3');
  await expect(page).toHaveURL(/\/embed\/retry\?attempts=3&/);
  await expect(page.getByRole('link', { name: 'Open in Charge Once' })).toHaveAttribute(
    'href',
    /^\/retry\?attempts=3&/,
  );
});

for (const path of ['/retry', '/embed/retry?jitter=decorrelated&attempts=9', '/retry?attempts=1000&p=1&deadline=99999']) {
  test(`${path} has no sideways scroll at 320 px`, async ({ page }) => {
    await page.setViewportSize({ width: 320, height: 640 });
    await open(page, path);
    expect(await sideways(page)).toEqual({ over: 0, clips: false });
  });
}

for (const colorScheme of ['light', 'dark'] as const) {
  test.describe(colorScheme, () => {
    test.use({ colorScheme, reducedMotion: 'reduce' });
    test('axe finds nothing', async ({ page }) => {
      await open(page, '/retry?attempts=9&jitter=decorrelated&cap=1000&p=x');
      for (const details of await page.locator('.studio details').all()) {
        await details.evaluate((it) => it.setAttribute('open', ''));
      }
      const { violations } = await new AxeBuilder({ page: page as never })
        .options({ rules: { 'target-size': { enabled: true } } })
        .analyze();
      expect(violations.map(({ id, nodes }) => [id, nodes.slice(0, 3).map((it) => it.html)])).toEqual([]);
    });
  });
}
