// The lab: real requests to the real service.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { keyOf, Lab } from './support/lab';
import { expect, figure, hydrated, test } from './support/page';
import { scrubber } from './support/player';

const sh = (script: string) => promisify(execFile)('sh', ['-c', script]);

test('a lost reply: asked twice, charged once', async ({ page }) => {
  const lab = await Lab.open(page);
  await lab.pay();
  await lab.figures({ charged: 1, attempts: 2 });
  await expect(lab.belief).toHaveText(/^Paid once, ch_/);
  await expect(lab.truth).toHaveText(/^Charged once, ch_/);
  expect((await lab.belief.innerText()).split(', ')[1]).toBe(
    (await lab.truth.innerText()).split(', ')[1],
  );

  await lab.attempts(2);
  const first = await lab.attempt(1);
  expect(first.request).toMatch(/^POST \/charges/);
  expect(first.request).toContain('{"amount":4000,"currency":"usd"}');
  expect(first.reply).toMatch(/^No byte arrived/);
  const second = await lab.attempt(2);
  expect(second.reply).toMatch(/^HTTP\/1\.1 201 Created/);
  expect(second.reply).toMatch(/^\s*idempotency-replayed:\s*true\s*$/im);
  expect(keyOf(first.request)).toMatch(/^"[0-9a-f-]{36}"$/);
  expect(keyOf(second.request)).toBe(keyOf(first.request));

  await lab.ledger(1, 1);
  const keys = await lab.tab('Keys');
  await expect(keys.locator('table')).toHaveCount(1);
  await expect(keys).toContainText('done');

  // The step at which the two part is there to be looked at.
  const lines = page.locator('.tr ol > li');
  const lost = (await lines.allInnerTexts()).findIndex((line) => /stops waiting/.test(line)) + 1;
  expect(lost).toBeGreaterThan(1);
  await scrubber(page).fill(String(lost));
  await expect(figure(page, 'step')).toHaveText(String(lost));
  await lab.figures({ charged: 1, attempts: 1 });
  await expect(lab.belief).toHaveText(/unknown/i);
});

test('the same without a key: charged twice', async ({ page }) => {
  const lab = await Lab.open(page);
  await lab.choose('None');
  await expect(page.getByRole('radio', { name: /^Let it through/ })).toBeChecked();
  await lab.pay();
  await lab.figures({ charged: 2, attempts: 2 });
  await expect(lab.belief).toHaveText(/^Paid once, ch_/);
  await expect(lab.truth).toHaveText(/^Charged twice: ch_\S+ and ch_\S+/);
  await lab.ledger(1, 2);
  expect(keyOf((await lab.attempt(1)).request)).toBeNull();
  const second = await lab.attempt(2);
  expect(keyOf(second.request)).toBeNull();
  expect(second.reply).toMatch(/^HTTP\/1\.1 201 Created/);
  expect(second.reply).not.toMatch(/replayed/i);
});

test('without a key where one is asked for: refused, and nothing is charged', async ({
  page,
  expected,
}) => {
  expected.console(/status of 400/);
  const lab = await Lab.open(page);
  await lab.choose('None');
  await lab.choose('Refuse it');
  await lab.faults();
  await lab.pay();
  await lab.figures({ charged: 0, attempts: 1 });
  await expect(lab.belief).toHaveText('Refused: 400');
  expect((await lab.attempt(1)).reply).toMatch(/idempotency-key-missing/);
  await lab.ledger(1, 0);
});

test('a new key on each attempt: charged twice', async ({ page }) => {
  const lab = await Lab.open(page);
  await lab.choose('A new one on each attempt');
  await lab.pay();
  await lab.figures({ charged: 2, attempts: 2 });
  await lab.ledger(1, 2);
  const keys = [keyOf((await lab.attempt(1)).request), keyOf((await lab.attempt(2)).request)];
  expect(keys[0]).not.toBeNull();
  expect(keys[1]).not.toBeNull();
  expect(keys[0]).not.toBe(keys[1]);
});

test('a lost request: charged once, by the second attempt', async ({ page }) => {
  const lab = await Lab.open(page);
  await lab.faults('Lose the request');
  await lab.pay();
  await lab.figures({ charged: 1, attempts: 2 });
  await expect(lab.belief).toHaveText(/^Paid once, ch_/);
  await lab.ledger(1, 1);
  const second = await lab.attempt(2);
  expect(second.reply).toMatch(/^HTTP\/1\.1 201 Created/);
  expect(second.reply, 'it is the first that the service hears').not.toMatch(/replayed/i);
});

test('a slow processor: told 409, then the replay, charged once', async ({ page, expected }) => {
  expected.console(/status of 409/);
  const lab = await Lab.open(page);
  await lab.faults('Slow processor');
  await lab.pay();
  await expect(lab.belief).toHaveText(/^Paid once, ch_/);
  await lab.figures({ charged: 1, attempts: 3 });
  await lab.ledger(1, 1);
  expect((await lab.attempt(1)).reply).toMatch(/^No byte arrived/);
  const second = await lab.attempt(2);
  expect(second.reply).toMatch(/^HTTP\/1\.1 409 Conflict/);
  expect(second.reply).toMatch(/^\s*retry-after:\s*\d+\s*$/im);
  const third = await lab.attempt(3);
  expect(third.reply).toMatch(/^HTTP\/1\.1 201 Created/);
  expect(third.reply).toMatch(/^\s*idempotency-replayed:\s*true\s*$/im);
});

test('a declined card: believed, and nothing is charged', async ({ page, expected }) => {
  expected.console(/status of 402/);
  const lab = await Lab.open(page);
  await lab.faults('Decline the card');
  await lab.pay();
  await lab.figures({ charged: 0, attempts: 1 });
  await expect(lab.belief).toHaveText('Declined, not paid');
  await expect(lab.truth).toHaveText('Not charged');
  await lab.ledger(1, 0);
  // It is final: asked again, it is the same answer.
  await lab.onceMore();
  await lab.figures({ charged: 0, attempts: 2 });
  const second = await lab.attempt(2);
  expect(second.reply).toMatch(/^HTTP\/1\.1 402 /);
  expect(second.reply).toMatch(/replayed:\s*true/i);
});

test('a processor that fails: tried again under the same key, charged once', async ({
  page,
  expected,
}) => {
  expected.console(/status of 50\d/);
  const lab = await Lab.open(page);
  await lab.faults('Processor fails');
  await lab.pay();
  await lab.figures({ charged: 1, attempts: 2 });
  await expect(lab.belief).toHaveText(/^Paid once, ch_/);
  expect((await lab.attempt(1)).reply).toMatch(/^HTTP\/1\.1 5\d\d /);
  await lab.ledger(1, 1);
});

test('each attempt can fail in its own way, and the app gives up in the end', async ({ page }) => {
  const lab = await Lab.open(page);
  await page.getByLabel('Time-out').fill('0,3');
  await page.getByLabel('Attempts in all').selectOption('2');
  await lab.faults('Lose the request', 'Lose the reply');
  await lab.pay();
  await lab.figures({ charged: 1, attempts: 2 });
  await expect(lab.belief).toHaveText(/unknown/i);
  await expect(page.locator('.tr li').last()).toContainText('tries no further');
  expect(await lab.command(1)).toContain('--max-time 0.3');
});

test('"Send once more" is answered with a replay', async ({ page }) => {
  const lab = await Lab.open(page);
  await expect(page.getByRole('button', { name: 'Send once more' })).toBeDisabled();
  await lab.faults();
  await lab.pay();
  await lab.figures({ charged: 1, attempts: 1 });
  expect((await lab.attempt(1)).reply).not.toMatch(/replayed/i);
  await lab.onceMore();
  await lab.figures({ charged: 1, attempts: 2 });
  const [first, second] = [await lab.attempt(1), await lab.attempt(2)];
  expect(second.reply).toMatch(/^\s*idempotency-replayed:\s*true\s*$/im);
  expect(keyOf(second.request)).toBe(keyOf(first.request));
  await lab.ledger(1, 1);
});

test('another press of Pay is another payment', async ({ page }) => {
  const lab = await Lab.open(page);
  await lab.faults();
  await lab.pay();
  const first = keyOf((await lab.attempt(1)).request);
  await lab.pay();
  await lab.figures({ charged: 1, attempts: 1 });
  expect(keyOf((await lab.attempt(1)).request)).not.toBe(first);
  await lab.ledger(2, 2);
  const log = await lab.tab('Log');
  await expect(log.locator('li').filter({ hasText: 'POST /charges' })).toHaveCount(2);
});

test('presses that follow each other at once are one payment', async ({ page }) => {
  const lab = await Lab.open(page);
  await lab.faults();
  await lab.payButton.evaluate((button: HTMLButtonElement) => {
    for (let press = 0; press < 5; press += 1) button.click();
  });
  await lab.settled();
  await lab.figures({ charged: 1, attempts: 1 });
  await lab.ledger(1, 1);
});

test('"Copy as curl" is a command that a shell runs', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const lab = await Lab.open(page);
  await lab.pay();
  const command = await lab.command(1);
  expect(command).toMatch(/^curl /);
  const { stdout } = await sh(command);
  expect(stdout).toMatch(/^HTTP\/1\.1 201 Created/);
  expect(stdout).toMatch(/^idempotency-replayed: true\r?$/im);
  const charge = stdout.match(/"id":"(ch_\w+)"/)?.[1];
  expect((await lab.attempt(2)).reply).toContain(`"id":"${charge}"`);

  await lab.attempt(1);
  const panel = page.getByRole('tabpanel', { name: 'Wire' });
  await panel.getByRole('button', { name: 'Copy as curl' }).click();
  await expect(panel.getByRole('button', { name: 'Copied' })).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(command);

  // Every other request of the page can be taken to a shell as well.
  const log = await lab.tab('Log');
  const ledger = log.locator('li').filter({ hasText: 'GET /lab/ledger' }).first();
  await ledger.locator('summary').click();
  const read = await sh(await ledger.locator('pre').innerText());
  expect(read.stdout).toMatch(/^HTTP\/1\.1 200 OK/);
  expect(read.stdout).toContain(`"${charge}"`);
});

test('two tabs share the sandbox, and both can see the trace', async ({ page, context }) => {
  const one = await Lab.open(page);
  const two = await Lab.open(await context.newPage());
  const account = (lab: Lab) => lab.page.locator('.set small').first().innerText();
  expect(await account(two)).toBe(await account(one));
  await two.faults();
  await two.pay();
  await two.figures({ charged: 1, attempts: 1 });
  await two.ledger(1, 1);
  // What the other tab did is in the ledger of this one.
  await one.faults();
  await one.pay();
  const panel = await one.tab('Ledger');
  await expect(panel.locator('tbody tr')).toHaveCount(2);
  await one.figures({ charged: 1, attempts: 1 });
  // And the stream brings each what happened in the other.
  const heard = await two.page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const stream = new EventSource('/lab/trace');
        const requests = new Set<string>();
        stream.onmessage = (event) => {
          requests.add(JSON.parse(event.data).request);
          if (requests.size === 2) {
            stream.close();
            resolve(requests.size);
          }
        };
      }),
  );
  expect(heard).toBe(2);
});

test('a reload in the middle breaks nothing and charges nothing twice', async ({ page }) => {
  const lab = await Lab.open(page);
  await lab.payButton.click();
  await expect(figure(page, 'charged')).toHaveText('1');
  await expect(lab.payButton).toHaveText(/^Paying/);
  await page.reload();
  await hydrated(page);
  const panel = await lab.tab('Ledger');
  await expect(panel.locator('tbody tr')).toHaveCount(1);
  await lab.faults();
  await lab.pay();
  await lab.figures({ charged: 1, attempts: 1 });
  await expect(panel.locator('tbody tr')).toHaveCount(2);
});

test('a stranger has a sandbox of their own', async ({ page, stranger }) => {
  const lab = await Lab.open(page);
  await lab.faults();
  await lab.pay();
  const token = (await lab.command(1)).match(/Bearer (\S+?)'/)?.[1];
  const other = await Lab.open(await stranger.newPage());
  await other.ledger(0, 0);
  const keys = await other.tab('Keys');
  await expect(keys).toContainText('No key is stored');
  await other.faults();
  await other.pay();
  await other.ledger(1, 1);
  expect((await other.command(1)).match(/Bearer (\S+?)'/)?.[1]).not.toBe(token);
  await page.reload();
  await hydrated(page);
  await expect((await lab.tab('Ledger')).locator('tbody tr')).toHaveCount(1);
});

test('the sandbox can be emptied', async ({ page }) => {
  const lab = await Lab.open(page);
  await lab.faults();
  await lab.pay();
  await lab.ledger(1, 1);
  await page.getByRole('button', { name: 'Empty the sandbox' }).click();
  await lab.ledger(0, 0);
  await expect(await lab.tab('Keys')).toContainText('No key is stored');
  await lab.attempts(0);
  await expect(figure(page, 'charged')).toHaveText('0');
  await expect(figure(page, 'attempts')).toHaveText('0');
  await lab.pay();
  await lab.figures({ charged: 1, attempts: 1 });
  await lab.ledger(1, 1);
});

test('a bad time-out is named and changes nothing', async ({ page }) => {
  const lab = await Lab.open(page);
  const field = page.getByLabel('Time-out');
  for (const bad of ['', '0', 'soon', '99']) {
    await field.fill(bad);
    await expect(field).toHaveAttribute('aria-invalid', 'true');
    await expect(page.getByRole('status').filter({ hasText: '0.01 to 9' })).toBeVisible();
  }
  await lab.faults();
  await lab.pay();
  expect(await lab.command(1)).toContain('--max-time 2 ');
  await field.fill('1,5');
  await expect(field).not.toHaveAttribute('aria-invalid', 'true');
  await lab.pay();
  expect(await lab.command(1)).toContain('--max-time 1.5 ');
});

test('arrow keys go through the tabs and not through the steps there', async ({ page }) => {
  const lab = await Lab.open(page);
  await lab.faults();
  await lab.pay();
  const step = await figure(page, 'step').innerText();
  await page.getByRole('tab', { name: 'Wire' }).click();
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('tab', { name: 'Keys' })).toBeFocused();
  await expect(page.getByRole('tabpanel', { name: 'Keys' })).toBeVisible();
  await expect(page.getByRole('tabpanel', { name: 'Wire' })).toBeHidden();
  await page.keyboard.press('End');
  await expect(page.getByRole('tab', { name: 'Settlement' })).toBeFocused();
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('tab', { name: 'Wire' })).toBeFocused();
  await expect(figure(page, 'step')).toHaveText(step);
});
