import { expect, figure, open, type Page } from './page';

// The lab as its visitor sees it.
export class Lab {
  constructor(readonly page: Page) {}

  static async open(page: Page) {
    await open(page, '/lab');
    return new Lab(page);
  }

  // What goes wrong, attempt by attempt, by the words on the page.
  async faults(...names: string[]) {
    const remove = this.page.getByRole('button', { name: /^Remove: attempt/ });
    for (let left = await remove.count(); left > 0; left -= 1) await remove.first().click();
    await expect(remove).toHaveCount(0);
    for (const name of names) {
      await this.page.getByLabel('Fault for the next attempt').selectOption({ label: name });
      await this.page.getByRole('button', { name: 'Add', exact: true }).click();
    }
    await expect(remove).toHaveCount(names.length);
  }

  choose(name: string) {
    return this.page.getByRole('radio', { name: new RegExp(`^${name}`) }).check();
  }

  get payButton() {
    return this.page.getByRole('button', { name: /^Pay/ });
  }

  // Presses Pay and waits until the app is done with it.
  async pay() {
    await expect(this.payButton).toBeEnabled();
    await this.payButton.click();
    await this.settled();
  }

  async onceMore() {
    await this.page.getByRole('button', { name: 'Send once more' }).click();
    await this.settled();
  }

  async settled() {
    await expect(this.payButton).toHaveText(/^Pay \$/, { timeout: 15_000 });
    await expect(this.payButton).toBeEnabled();
  }

  async figures(expected: { charged: number; attempts: number }) {
    await expect(figure(this.page, 'intended')).toHaveText('1');
    await expect(figure(this.page, 'charged')).toHaveText(String(expected.charged));
    await expect(figure(this.page, 'attempts')).toHaveText(String(expected.attempts));
  }

  get belief() {
    return figure(this.page, 'belief');
  }

  get truth() {
    return figure(this.page, 'truth');
  }

  // Switches a mechanism off, and waits until the service knows.
  async weaken(name: string) {
    const form = this.page.locator('.form').filter({ has: this.page.getByText(name, { exact: true }) });
    const [change] = await Promise.all([
      this.page.waitForResponse((it) => it.request().method() === 'PATCH'),
      form.getByRole('checkbox').check(),
    ]);
    expect(change.status()).toBe(200);
    await expect(form.locator('.unsafe')).toBeVisible();
    await this.unsafe(name);
  }

  // What is named as unsafe over the trace.
  async unsafe(name: string) {
    await expect(this.page.locator('.guard .unsafe')).toBeVisible();
    await expect(figure(this.page, 'unsafe')).toContainText(name);
  }

  async allSafe() {
    await this.page.getByRole('button', { name: 'All safe again' }).click();
    await expect(figure(this.page, 'unsafe')).toHaveText('Every mechanism is on.');
    await expect(this.page.locator('.unsafe:visible')).toHaveCount(0);
  }

  async clock(leap: '+30 s' | '+1 min' | '+1 h' | '+24 h') {
    const [moved] = await Promise.all([
      this.page.waitForResponse((it) => it.url().endsWith('/lab/clock')),
      this.page.getByRole('button', { name: `Move the clock forward: ${leap}` }).click(),
    ]);
    expect(moved.status()).toBe(200);
  }

  // One payment, sent twice at the same moment.
  async tapTwice() {
    await this.page.getByRole('button', { name: 'Tap twice' }).click();
    await this.settled();
  }

  pod(number: number) {
    return this.page.locator('.pods li').nth(number - 1);
  }

  async settlement(expected: {
    intended: number;
    charged: number;
    duplicates?: number;
    missing?: number;
    orphaned?: number;
  }) {
    await this.tab('Settlement');
    for (const [name, number] of Object.entries({
      duplicates: 0,
      missing: 0,
      orphaned: 0,
      ...expected,
    })) {
      await expect(figure(this.page, `settlement-${name}`)).toHaveText(String(number));
    }
  }

  async tab(name: 'Wire' | 'Keys' | 'Ledger' | 'Log' | 'Settlement') {
    await this.page.getByRole('tab', { name }).click();
    const panel = this.page.getByRole('tabpanel', { name });
    await expect(panel).toBeVisible();
    return panel;
  }

  // The ledger's lines and the sum of them in words.
  async ledger(payments: number, charges: number) {
    const panel = await this.tab('Ledger');
    await expect(panel.locator('tbody tr')).toHaveCount(charges);
    const plural = (count: number, thing: string) => `${count} ${thing}${count === 1 ? '' : 's'}`;
    await expect(panel.locator('tfoot')).toContainText(
      `${plural(payments, 'payment')}, ${plural(charges, 'charge')}`,
    );
  }

  // One attempt on the wire: the request, and the reply or what is said in its place.
  async attempt(number: number) {
    const panel = await this.tab('Wire');
    const button = panel.getByRole('button', { name: `Attempt ${number}`, exact: true });
    await button.click();
    await expect(button).toHaveAttribute('aria-pressed', 'true');
    return {
      request: await panel.locator('.wire.tone-client').innerText(),
      reply: await panel.locator('.wire.tone-server, .wire__none').innerText(),
    };
  }

  async attempts(count: number) {
    const panel = await this.tab('Wire');
    await expect(panel.getByRole('button', { name: /^Attempt \d+$/ })).toHaveCount(count);
  }

  // The command that stands beside "Copy as curl".
  async command(attempt: number) {
    await this.attempt(attempt);
    const panel = this.page.getByRole('tabpanel', { name: 'Wire' });
    const details = panel.locator('details.curl');
    if ((await details.getAttribute('open')) === null) await details.locator('summary').click();
    return details.locator('pre').innerText();
  }
}

export const keyOf = (request: string) =>
  request.match(/^\s*idempotency-key:\s*(.+?)\s*$/im)?.[1] ?? null;
