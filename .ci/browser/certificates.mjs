// Checks of the page of certificates. `page.html` shows the certificates of `certificates.json`, a list, in this order.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const read = (folder) => JSON.parse(readFileSync(join(folder, 'certificates.json'), 'utf8'));

/** The verdict on a section, by its counts. */
function verdict(section) {
  if (section === undefined) return 'left out';
  if (section.failed > 0) return 'failed';
  if (section.ended_early !== undefined) return 'interrupted';
  if (section.checked > 0) return 'passed';
  return section.skipped > 0 ? 'skipped' : 'empty';
}

const colours = {
  conformant: 'good', passed: 'good', failed: 'bad', partial: 'open', interrupted: 'open', unchecked: 'open', skipped: 'open',
  empty: 'open', 'left out': 'open',
};

/** Cells of a row, by its name. */
async function row(page, name) {
  const found = page.getByRole('row').filter({ has: page.getByRole('rowheader', { name, exact: true }) });
  assert.equal(await found.count(), 1, name);
  return found.getByRole('cell').all();
}

/** Each cell begins with its word, and has its colour. */
async function expectCells(cells, words) {
  assert.equal(cells.length, words.length);
  for (const [at, word] of words.entries()) {
    const text = await cells[at].textContent();
    assert.ok(text === word || text.startsWith(`${word},`) || text.startsWith(`${word};`), `${text} instead of ${word}`);
    assert.equal(await cells[at].getAttribute('class'), colours[word], text);
  }
}

/** Every certificate has a column; every section and op has a row with the verdicts of all certificates. */
export async function shows_every_section_and_verdict(open, screenshots, folder) {
  const certificates = read(folder);
  const { page, close } = await open('page.html');
  assert.equal(await page.title(), 'Conformance certificates');
  const titles = await page.getByRole('columnheader').allTextContents();
  // Columns of one backend have further words in their titles.
  const columns = titles.slice(-certificates.length);
  for (const [at, { backend }] of certificates.entries()) assert.ok(columns[at] === backend || columns[at].startsWith(`${backend}, `), columns[at]);
  await expectCells(await row(page, 'verdict'), certificates.map((certificate) => certificate.verdict));
  const names = new Set(certificates.flatMap((certificate) => certificate.sections.map((section) => section.name)));
  assert.ok(names.size >= 19, [...names].join(' '));
  const seen = new Set();
  for (const name of names) {
    const words = certificates.map(({ sections }) => verdict(sections.find((section) => section.name === name)));
    words.forEach((word) => seen.add(word));
    await expectCells(await row(page, `section ${name}`), words);
  }
  for (const word of ['passed', 'failed', 'interrupted', 'left out']) assert.ok(seen.has(word), word);
  const ops = new Set(certificates.flatMap((certificate) => certificate.ops.map((op) => op.id)));
  for (const id of ops) await row(page, `op ${id}`);
  const rows = await page.locator('tbody tr').count();
  assert.ok(rows > names.size + ops.size, `${rows} rows`);
  if (screenshots) await page.screenshot({ path: join(screenshots, 'certificates-1400-light.png'), fullPage: true });
  await close();
}

/** A section that ended early says why, and failures are shown as text: nothing of them is markup. */
export async function shows_failures_as_text(open, screenshots, folder) {
  const certificates = read(folder);
  const { page, close } = await open('page.html');
  const text = await page.evaluate(() => document.body.textContent);
  let failures = 0;
  for (const section of certificates.flatMap((certificate) => certificate.sections)) {
    if (section.ended_early !== undefined) assert.match(text, /; ended early: /);
    for (const failure of section.failures) {
      failures += 1;
      assert.ok(text.includes(failure.message), failure.message);
      if (failure.example) assert.ok(text.includes(failure.example.program), failure.message);
    }
  }
  assert.ok(failures > 0);
  assert.match(text, /<img src=x onerror=window\.ran=1>/);
  assert.equal(await page.evaluate(() => window.ran), undefined);
  assert.equal(await page.locator('script, img, iframe, object, embed, link, base').count(), 0);
  await close();
}

/** The page is light and dark as the system is, and a narrow window shows it without a part beyond its side. */
export async function fits_themes_and_windows(open, screenshots) {
  const backgrounds = new Set();
  for (const colorScheme of ['light', 'dark']) {
    const { page, close } = await open('page.html', { colorScheme, viewport: { width: 420, height: 860 } });
    backgrounds.add(await page.evaluate(() => getComputedStyle(document.body).backgroundColor));
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= 420, `${width} pixels`);
    if (screenshots) await page.screenshot({ path: join(screenshots, `certificates-420-${colorScheme}.png`), fullPage: true });
    await close();
  }
  assert.equal(backgrounds.size, 2);
}
