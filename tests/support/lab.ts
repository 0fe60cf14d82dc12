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

  async tab(name: 'Wire' | 'Keys' | 'Ledger' | 'Log') {
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
