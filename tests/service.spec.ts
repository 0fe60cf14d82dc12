// The lab's service: its pods, its clock, its mechanisms, and the settlement.
import { Lab } from './support/lab';
import { expect, figure, open, test } from './support/page';

const SAFE = 'Every mechanism is on.';

test('the settlement says in words that one was meant and one was charged', async ({ page }) => {
  const lab = await Lab.open(page);
  await lab.settlement({ intended: 0, charged: 0 });
  await lab.pay();
  await lab.settlement({ intended: 1, charged: 1 });
  const panel = page.getByRole('tabpanel', { name: 'Settlement' });
  await expect(panel).toContainText('Intended 1, charged 1, 0 duplicates');
  await expect(panel.locator('tbody tr')).toHaveCount(1);
  await expect(panel.locator('tbody tr')).toContainText('settled');
  await lab.pay();
  await lab.settlement({ intended: 2, charged: 2 });
  // The file is of this sandbox, and says the same.
  const link = panel.getByRole('link', { name: 'The same as CSV' });
  const href = (await link.getAttribute('href')) ?? '';
  const csv = await page.evaluate(async (path) => (await fetch(path)).text(), href);
  const lines = csv.trim().split('\r\n');
  expect(lines[0]).toMatch(/^intent,amount,currency,verdict/);
  expect(lines.slice(1).map((line) => line.split(',')[3])).toEqual(['settled', 'settled']);
  const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
  expect(download.suggestedFilename()).toBe('settlement.csv');
  await page.getByRole('button', { name: 'Empty the sandbox' }).click();
  await lab.settlement({ intended: 0, charged: 0 });
});

test('without a key the settlement finds the duplicate', async ({ page }) => {
  const lab = await Lab.open(page);
  await lab.choose('None');
  await lab.pay();
  await lab.settlement({ intended: 1, charged: 2, duplicates: 1 });
  await lab.unsafe('Requests without a key are let through');
  await lab.allSafe();
  await expect(page.getByRole('radio', { name: /^Refuse it/ })).toBeChecked();
});

test('keys in the memory of two pods: the retry meets the other pod', async ({ page }) => {
  const lab = await Lab.open(page);
  await lab.weaken('No key at the processor');
  await page.getByRole('radio', { name: 'Two pods' }).check();
  await lab.choose("In each pod's memory");
  await lab.unsafe("Keys in each pod's memory");
  await lab.pay();
  await lab.figures({ charged: 2, attempts: 2 });
  await lab.settlement({ intended: 1, charged: 2, duplicates: 1 });
  await lab.attempts(2);
  expect((await lab.attempt(2)).reply).toMatch(/^\s*x-lab-pod:\s*2\s*$/im);
  await expect(lab.pod(2)).toContainText('last answer: 201');
});

test('one store for both pods: charged once, whichever pod is asked', async ({ page }) => {
  const lab = await Lab.open(page);
  await lab.weaken('No key at the processor');
  await page.getByRole('radio', { name: 'Two pods' }).check();
  await lab.pay();
  await lab.figures({ charged: 1, attempts: 2 });
  for (const pod of ['1', '2']) {
    await page.getByLabel('The next request goes to').selectOption(pod);
    await lab.onceMore();
  }
  const asked = [(await lab.attempt(3)).request, (await lab.attempt(4)).request];
  expect(asked[0]).toMatch(/^\s*X-Lab-Pod:\s*1\s*$/m);
  expect(asked[1]).toMatch(/^\s*X-Lab-Pod:\s*2\s*$/m);
  expect((await lab.attempt(4)).reply).toMatch(/^\s*x-lab-pod:\s*2\s*$/im);
  expect((await lab.attempt(4)).reply).toMatch(/replayed:\s*true/i);
  await lab.settlement({ intended: 1, charged: 1 });
});

test('a restart forgets what only the memory of its pod knew', async ({ page }) => {
  const lab = await Lab.open(page);
  await lab.weaken('No key at the processor');
  await lab.choose("In each pod's memory");
  await lab.faults();
  await lab.pay();
  await lab.onceMore();
  await lab.figures({ charged: 1, attempts: 2 });
  await page.getByRole('button', { name: 'Restart pod 1' }).click();
  await expect(await lab.tab('Keys')).toContainText('No key is stored');
  await lab.onceMore();
  await lab.figures({ charged: 2, attempts: 3 });
});

test('look up, then insert: two taps at once are charged twice', async ({ page, expected }) => {
  expected.console(/status of 409/);
  const lab = await Lab.open(page);
  await lab.faults();
  // The correct design first.
  await lab.tapTwice();
  await expect(figure(page, 'charged')).toHaveText('1');
  await lab.settlement({ intended: 1, charged: 1 });
  await lab.weaken('No key at the processor');
  await lab.weaken('Look up, then insert');
  await lab.tapTwice();
  await lab.figures({ charged: 2, attempts: 2 });
  await lab.settlement({ intended: 2, charged: 3, duplicates: 1 });
  await expect(page.locator('.tr')).toContainText('Looks the key up and finds nothing');
});

test('no key at the processor: a takeover after a crash charges again', async ({
  page,
  expected,
}) => {
  // A browser may send a request again by itself when its connection breaks.
  expected.console(/status of 409/);
  const lab = await Lab.open(page);
  await lab.weaken('No key at the processor');
  await lab.faults('Crash after the charge');
  await page.getByLabel('Attempts in all').selectOption('1');
  await lab.pay();
  await lab.figures({ charged: 1, attempts: 1 });
  await lab.settlement({ intended: 1, charged: 1, orphaned: 1 });
  await lab.clock('+30 s');
  await expect(figure(page, 'clock')).toHaveText('30 s');
  await lab.onceMore();
  await lab.figures({ charged: 2, attempts: 2 });
  await lab.settlement({ intended: 1, charged: 2, duplicates: 1 });
  // The picture counts the sandbox's time.
  await expect(page.locator('.player h3 small')).toContainText(/at 3\d\.\d\d s/);
  await expect(page.locator('.tr')).toContainText('takes it over');
});

test('no lease: after a crash it is 409 for good', async ({ page, expected }) => {
  expected.console(/status of 409/);
  const lab = await Lab.open(page);
  await lab.weaken('No lease');
  await lab.faults('Crash before the charge');
  await page.getByLabel('Attempts in all').selectOption('1');
  await lab.pay();
  await lab.clock('+1 h');
  await lab.onceMore();
  await lab.figures({ charged: 0, attempts: 2 });
  expect((await lab.attempt(2)).reply).toMatch(/^HTTP\/1\.1 409/);
});

test('no heartbeat: a slow attempt and its retry both charge', async ({ page }) => {
  const lab = await Lab.open(page);
  await lab.weaken('No heartbeat, and a lease of 1 s');
  await lab.weaken('No key at the processor');
  await lab.faults('Slow processor');
  await lab.pay();
  await lab.figures({ charged: 2, attempts: 2 });
  await expect(page.locator('.tr')).toContainText('slow, not dead');
});

test('no fencing: the late owner writes over the answer that was given', async ({ page }) => {
  const lab = await Lab.open(page);
  await lab.weaken('No heartbeat, and a lease of 1 s');
  await lab.weaken('No key at the processor');
  for (const fencing of [true, false]) {
    if (!fencing) await lab.weaken('No fencing');
    await lab.faults('Slow processor');
    await lab.pay();
    await expect(lab.belief).toHaveText(/^Paid once/);
    const told = await lab.belief.innerText();
    // The first attempt is still at work; it is done when its reply finds nobody.
    await expect(page.locator('.tr')).toContainText('has stopped listening', { timeout: 10_000 });
    await lab.onceMore();
    await expect(lab.belief).toHaveText(/^Paid once/);
    expect((await lab.belief.innerText()) === told, `fencing ${fencing}`).toBe(fencing);
  }
});

test('no body hash: another amount is answered with the first charge', async ({ page, expected }) => {
  expected.console(/status of 422/);
  const lab = await Lab.open(page);
  await lab.faults();
  for (const [weak, status] of [
    [false, '422 Unprocessable'],
    [true, '201 Created'],
  ] as const) {
    if (weak) await lab.weaken('No body hash');
    await page.getByLabel('Amount in cents').fill('4000');
    await lab.pay();
    await page.getByLabel('Amount in cents').fill('99900');
    await lab.onceMore();
    const { reply } = await lab.attempt(2);
    expect(reply).toContain(`HTTP/1.1 ${status}`);
    if (weak) expect(reply).toContain('"amount":4000');
  }
});

test('no account scope: the second account never pays', async ({ page }) => {
  const lab = await Lab.open(page);
  await lab.faults();
  for (const [weak, charged, missing] of [
    [false, 2, 0],
    [true, 1, 1],
  ] as const) {
    await page.getByRole('button', { name: 'Empty the sandbox' }).click();
    if (weak) await lab.weaken('No account scope');
    await page.getByRole('combobox', { name: 'Account', exact: true }).selectOption('first');
    await lab.pay();
    await page.getByRole('combobox', { name: 'Account', exact: true }).selectOption('second');
    await lab.onceMore();
    await expect(figure(page, 'intended')).toHaveText('2');
    await expect(figure(page, 'charged')).toHaveText(String(charged));
    await lab.settlement({ intended: 2, charged, missing });
  }
});

test('a key that expired: 410, or a new payment without a word', async ({ page, expected }) => {
  expected.console(/status of 410/);
  const lab = await Lab.open(page);
  await lab.faults();
  await lab.weaken('Keys kept for 1 minute');
  await lab.pay();
  await lab.clock('+1 min');
  await lab.onceMore();
  expect((await lab.attempt(2)).reply).toMatch(/^HTTP\/1\.1 410/);
  await lab.weaken('Expired keys count as new');
  await lab.onceMore();
  await lab.figures({ charged: 2, attempts: 3 });
  await lab.settlement({ intended: 1, charged: 2, duplicates: 1 });
});

test('a request without a key: until a date, or with a key made of its body', async ({ page }) => {
  const lab = await Lab.open(page);
  await lab.faults();
  await lab.choose('None');
  await lab.choose('Allow it until a date');
  await lab.pay();
  expect((await lab.attempt(1)).reply).toMatch(/^\s*sunset:/im);
  await lab.choose('Make a key of its body');
  await expect(figure(page, 'unsafe')).toHaveText(SAFE);
  await lab.faults('Lose the reply');
  await lab.pay();
  await lab.figures({ charged: 1, attempts: 2 });
});

test('"All safe again" switches everything on, and a reload shows what holds', async ({ page }) => {
  const lab = await Lab.open(page);
  await expect(figure(page, 'unsafe')).toHaveText(SAFE);
  const forms = page.locator('.form').getByRole('checkbox');
  await expect(forms).toHaveCount(9);
  for (const form of await forms.all()) await form.check();
  await lab.choose("In each pod's memory");
  await expect(page.locator('.weaken .unsafe:visible')).toHaveCount(10);
  await expect(figure(page, 'unsafe')).toHaveText(/Look up, then insert; .*; Keys in each pod's memory$/);
  await lab.settled();
  await expect.poll(() => page.evaluate(async () => (await (await fetch('/lab/settings')).json()).store)).toBe('pod_memory');
  await open(page, '/lab');
  for (const form of await forms.all()) await expect(form).toBeChecked();
  await lab.allSafe();
  for (const form of await forms.all()) await expect(form).not.toBeChecked();
  await expect(page.getByRole('radio', { name: /^In one store/ })).toBeChecked();
  await expect
    .poll(() => page.evaluate(async () => (await fetch('/lab/settings')).json()))
    .toMatchObject({
      claim: 'unique_insert',
      processor_keys: true,
      sweeper: true,
      lease: true,
      heartbeat: true,
      fencing: true,
      fingerprint: true,
      account_scope: true,
      expired: 'refuse',
      store: 'shared',
      keyless: 'require',
      lease_ms: 30_000,
      retention_ms: 86_400_000,
    });
});

test('a change that the service refuses is taken back and named', async ({ page, expected }) => {
  expected.console(/status of 422/);
  const lab = await Lab.open(page);
  await page.route('**/lab/settings', (route) =>
    route.fulfill({
      status: 422,
      contentType: 'application/problem+json',
      body: JSON.stringify({ title: 'Not here', detail: 'lease: this one stays on.' }),
    }),
  );
  const form = page.getByRole('checkbox', { name: /^No lease/ });
  await form.click();
  await expect(page.getByRole('alert')).toHaveText(
    'PATCH /lab/settings was answered with 422. lease: this one stays on.',
  );
  await expect(form).not.toBeChecked();
  await expect(figure(page, 'unsafe')).toHaveText(SAFE);
  await page.unroute('**/lab/settings');
  await lab.weaken('No lease');
  await expect(page.getByRole('alert')).toHaveText('');
});

test('the mechanisms can be reached and flipped with the keyboard', async ({ page }) => {
  await Lab.open(page);
  const link = page.getByRole('link', { name: 'Weaken one' });
  await link.focus();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL('/lab#weaken');
  const first = page.getByRole('checkbox', { name: /^Look up/ });
  for (let press = 0; press < 12; press += 1) {
    await page.keyboard.press('Tab');
    if (await first.evaluate((it) => it === document.activeElement)) break;
  }
  await expect(first).toBeFocused();
  await page.keyboard.press('Space');
  await expect(first).toBeChecked();
  await expect(figure(page, 'unsafe')).toHaveText('Look up, then insert');
});

test('each counterexample that the lab links to is there', async ({ page }) => {
  await Lab.open(page);
  const links = page.locator('.form').getByRole('link', { name: 'The shortest way' });
  await expect(links).toHaveCount(7);
  for (const href of await links.evaluateAll((all) => all.map((it) => it.getAttribute('href')))) {
    expect((await page.request.get(href ?? '', { headers: { accept: 'text/html' } })).status()).toBe(200);
  }
});
