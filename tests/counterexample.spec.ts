// What the explorer found in weakened designs, walked by hand.
import { expect, figure, open, test } from './support/page';
import { expectFigures, figures, listen, next, play, previous, scrubber } from './support/player';

const FOUND = [
  { slug: 'no-key', intended: 1, charged: 2, breaks: 'one-charge' },
  { slug: 'new-key-each-time', intended: 1, charged: 2, breaks: 'one-charge' },
  { slug: 'no-processor-key', intended: 1, charged: 2, breaks: 'one-charge' },
  { slug: 'no-processor-key-lookup-first', intended: 1, charged: 2, breaks: 'one-charge' },
  { slug: 'no-processor-key-no-heartbeat', intended: 1, charged: 2, breaks: 'one-charge' },
  { slug: 'no-lease', intended: 1, charged: 0, breaks: 'never-stuck' },
  { slug: 'lookup-first', intended: 1, charged: 1, breaks: 'saved-answer' },
  { slug: 'no-heartbeat-no-fencing', intended: 1, charged: 1, breaks: 'saved-answer' },
  { slug: 'no-body-hash', intended: 2, charged: 1, breaks: 'nobody-elses' },
  { slug: 'no-account-scope', intended: 2, charged: 1, breaks: 'nobody-elses' },
];

test('no key at the processor: a walk to the second charge and back', async ({ page }) => {
  await open(page, '/play/no-processor-key');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/No key at the processor/);
  await expect(figure(page, 'weakened')).toHaveText('The card processor takes no key of its own.');
  await expect(figure(page, 'breaks')).toHaveText('At most one charge for one intent');
  await expectFigures(page, { step: 1, intended: 1, charged: 0, attempts: 1 });
  const steps = Number(await figure(page, 'steps').innerText());
  expect(steps).toBeGreaterThan(5);
  const charged: string[] = [];
  for (let step = 2; step <= steps; step += 1) {
    await next(page).click();
    await expectFigures(page, { step });
    charged.push((await figures(page)).charged);
  }
  expect(charged, 'it never goes back, and ends at two').toEqual([...charged].sort());
  await expectFigures(page, { step: steps, intended: 1, charged: 2, attempts: 2 });
  await expect(figure(page, 'truth')).toHaveText(/^Charged twice: ch_9 and ch_10/);
  await expect(figure(page, 'belief')).toHaveText(/unknown/i);
  await expect(next(page)).toHaveAttribute('aria-disabled', 'true');
  await expect(page).toHaveURL(`/play/no-processor-key?step=${steps}`);
  await expect(page.locator('.tr li').last()).toContainText('charged twice');
  for (let step = steps - 1; step >= 1; step -= 1) {
    await previous(page).click();
    await expectFigures(page, { step });
  }
  await expectFigures(page, { charged: 0 });
});

for (const { slug, intended, charged, breaks } of FOUND) {
  test(`${slug}: the browser tells what the server drew`, async ({ page, request }) => {
    const named = (html: string, name: string) =>
      html
        .match(new RegExp(`<output name="${name}"[^>]*>(.*?)</output>`, 's'))?.[1]
        ?.replace(/<[^>]*>/g, '');
    await open(page, `/play/${slug}`);
    await expect(figure(page, 'breaks')).toHaveAttribute('data-property', breaks);
    const steps = Number(await figure(page, 'steps').innerText());
    for (let step = 1; step <= steps; step += 1) {
      if (step > 1) await page.keyboard.press('ArrowRight');
      await expectFigures(page, { step });
      // The same step, as the server draws it.
      const html = await (
        await request.get(`/play/${slug}?step=${step}`, { headers: { accept: 'text/html' } })
      ).text();
      for (const name of ['step', 'intended', 'charged', 'attempts', 'belief', 'truth']) {
        expect(await figure(page, name).innerText(), `${name} at ${step}`).toBe(named(html, name));
      }
    }
    await expectFigures(page, { step: steps, intended, charged });
    await expect(page.locator('.forks, .predict, .player__seed')).toHaveCount(0);
  });
}

test('it plays, is announced and can be scrubbed like a scenario', async ({ page }) => {
  await open(page, '/play/no-lease?step=2');
  const said = await listen(page);
  await scrubber(page).fill('3');
  await expectFigures(page, { step: 3 });
  expect(await said()).toEqual(['Step 3 of 3. The process dies']);
  await play(page).click();
  await expectFigures(page, { step: 1 });
});

test('every line of the table leads to its own way', async ({ page }) => {
  await open(page, '/play/no-lease');
  const table = page.locator('.found__table');
  await expect(table.locator('tbody tr')).toHaveCount(FOUND.length);
  await expect(table.locator('[aria-current] th')).toHaveText('A claim on a key never ends by itself.');
  const links = await table.getByRole('link').evaluateAll((all) => all.map((it) => it.getAttribute('href')));
  expect(links.sort()).toEqual(
    FOUND.filter(({ slug }) => slug !== 'no-lease')
      .map(({ slug }) => `/play/${slug}`)
      .sort(),
  );
  await table.getByRole('link', { name: 'The client sends no key.' }).click();
  await expect(page).toHaveURL('/play/no-key');
  await expect(figure(page, 'weakened')).toHaveText('The client sends no key.');
});

test('a saved answer that is lost says so', async ({ page }) => {
  await open(page, '/play/no-heartbeat-no-fencing?step=99');
  await expect(page.locator('.player h3')).toContainText('A saved answer is lost');
  await expect(page.locator('.held')).toContainText('given back');
  await expect(page.locator('.tr')).toContainText('slow, not dead');
});
