// Checks of HTML reports. Each opens its own page.

import assert from 'node:assert/strict';
import { join } from 'node:path';

const text = async (page, selector) => (await page.textContent(selector)).trim();
/** Waits for a line of a list. A list is filled when its box has been opened, which is after the click has returned. */
const hasListed = (page, line) => page.locator('#coverage-lists').getByText(line).first().waitFor();
const background = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);

async function picture(page, screenshots, name, fullPage = false) {
  if (screenshots) await page.screenshot({ path: join(screenshots, `${name}.png`), fullPage });
}

/** The summary, the list and the detail of the first finding are there without a click. */
export async function opens(open, screenshots) {
  const { page, close } = await open('flow.html');
  assert.equal(await text(page, '#count'), '3 findings');
  assert.match(await text(page, '#tiles'), /3\s*findings.*3\s*files scanned/s);
  assert.equal(await page.locator('.row').count(), 3);
  assert.match(await text(page, '#finding-title'), /critical\s*command-injection/);
  assert.match(await text(page, '#facts'), /CWE-78/);
  assert.equal(await page.locator('.banner').count(), 0);
  await page.click('#coverage summary');
  assert.match(await text(page, '#coverage-facts'), /Scanned\s*3 files/);
  await picture(page, screenshots, 'flow-1400-light');
  await close();
}

/** Steps are followed by keyboard: list, source and drawing agree, also across files. */
export async function follows_a_witness(open, screenshots) {
  const { page, close } = await open('flow.html');
  await page.fill('#filter-file', 'run.js');
  await page.keyboard.press('Escape');
  await page.locator('#list').focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('Enter');
  const count = await page.locator('#steps > li').count();
  assert.ok(count >= 3, `${count} steps`);
  assert.equal(await text(page, '#step-count'), `Step 1 of ${count}`);
  assert.match(await text(page, '#source-path'), /index\.js:3:/);
  assert.equal(await text(page, 'mark.current'), 'process.argv');
  const seen = new Set();
  for (let step = 1; step < count; step += 1) {
    await page.keyboard.press(step % 2 ? 'n' : 'ArrowRight');
    assert.equal(await text(page, '#step-count'), `Step ${step + 1} of ${count}`);
    assert.equal(await page.locator('#steps .current').count(), 1);
    assert.equal(await page.locator('#graph .node.current').count(), 1);
    seen.add(await text(page, '#source-path'));
  }
  assert.match(await text(page, '#source-path'), /run\.js:3:/);
  assert.match((await page.locator('mark.current').allTextContents()).join(''), /^exec\(command\)/);
  assert.ok(seen.size >= 2, [...seen].join(' '));
  assert.match(page.url(), new RegExp(`/${count}$`));
  await page.keyboard.press('n');
  assert.equal(await text(page, '#step-count'), `Step ${count} of ${count}`);
  await page.keyboard.press('p');
  assert.equal(await text(page, '#step-count'), `Step ${count - 1} of ${count}`);
  assert.match(await page.getAttribute('#graph svg', 'aria-label'), /^Flow of \d+ steps from .*index\.js:3:/);
  await page.locator('#graph .node').first().click();
  assert.equal(await text(page, '#step-count'), `Step 1 of ${count}`);
  await picture(page, screenshots, 'witness-1400-light');
  await close();
}

/** The address of a step opens it. */
export async function has_addresses(open) {
  const first = await open('flow.html');
  await first.page.keyboard.press('j');
  await first.page.keyboard.press('n');
  const [hash, title] = [new URL(first.page.url()).hash, await text(first.page, '#source-path')];
  await first.page.goto('about:blank');
  await first.page.goto(first.address + hash);
  assert.equal(await text(first.page, '#source-path'), title);
  assert.match(await text(first.page, '#step-count'), /^Step 2 of/);
  await first.close();
}

/** Search, rule, file and severity filter the list; one button removes the filters. */
export async function filters(open) {
  const { page, close } = await open('flow.html');
  const count = () => text(page, '#count');
  await page.keyboard.press('/');
  await page.keyboard.type('eval CODE-injection');
  assert.equal(await count(), '1 of 3 findings');
  await page.keyboard.press('Escape');
  assert.equal(await count(), '3 findings');
  await page.selectOption('#filter-rule', 'command-injection');
  assert.equal(await count(), '2 of 3 findings');
  await page.fill('#filter-file', 'APP/run.js');
  assert.equal(await count(), '1 of 3 findings');
  await page.click('#reset');
  assert.equal(await count(), '3 findings');
  await page.uncheck('#filter-severity input[value=critical]');
  const left = await page.locator('.row .badge').allTextContents();
  assert.ok(!left.includes('critical'), left.join(' '));
  await page.fill('#search', 'no such text');
  assert.equal(await count(), '0 of 3 findings');
  assert.ok(await page.isVisible('#no-match'));
  await page.locator('#list').focus();
  await page.keyboard.press('r');
  assert.equal(await count(), '3 findings');
  await page.selectOption('#order', 'rule');
  assert.equal(await text(page, '#row-0 .rule'), 'code-injection');
  await close();
}

/** Keys are listed in a dialog, and controls have names and roles. */
export async function explains_its_keys(open, screenshots) {
  const { page, close } = await open('flow.html');
  await page.keyboard.press('?');
  assert.ok(await page.isVisible('#help'));
  assert.match(await text(page, '#keys'), /next step/);
  await picture(page, screenshots, 'help-1400-light');
  await page.keyboard.press('Escape');
  assert.ok(!(await page.isVisible('#help')));
  assert.equal(await page.getByRole('listbox', { name: 'Findings' }).count(), 1);
  assert.equal(await page.locator('#list').getByRole('option', { selected: true }).count(), 1);
  assert.equal(await page.getByRole('searchbox', { name: 'Search' }).count(), 1);
  assert.equal(await page.getByRole('img', { name: /^Flow of/ }).count(), 1);
  assert.equal(await page.getByRole('region', { name: /^Source of/ }).count(), 1);
  await close();
}

/** The theme is that of the system, and a button and a key change it. */
export async function is_light_and_dark(open, screenshots) {
  const colors = new Map();
  for (const colorScheme of ['light', 'dark']) {
    const { page, close } = await open('flow.html', { colorScheme });
    colors.set(colorScheme, await background(page));
    await picture(page, screenshots, `theme-1400-${colorScheme}`);
    await close();
  }
  assert.notEqual(colors.get('light'), colors.get('dark'));
  const { page, close } = await open('flow.html', { colorScheme: 'dark' });
  await page.click('#theme');
  assert.equal(await text(page, '#theme'), 'Theme: light');
  assert.equal(await background(page), colors.get('light'));
  await page.keyboard.press('t');
  assert.equal(await background(page), colors.get('dark'));
  await close();
}

/** In a narrow window the list and the finding are two views, and nothing is wider than the window. */
export async function fits_narrow_windows(open, screenshots) {
  const { page, close } = await open('flow.html', { viewport: { width: 420, height: 860 }, colorScheme: 'dark' });
  assert.ok(!(await page.isVisible('#detail')));
  await picture(page, screenshots, 'list-420-dark', true);
  await page.click('#row-1');
  assert.ok(await page.isVisible('#detail'));
  assert.ok(!(await page.isVisible('#list')));
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(width <= 420, `${width} pixels`);
  await picture(page, screenshots, 'finding-420-dark', true);
  await page.click('#back');
  assert.ok(await page.isVisible('#list'));
  await close();
}

/** An incomplete scan says so in large letters, with the files and the reasons. */
export async function says_what_is_missing(open, screenshots) {
  const { page, close } = await open('incomplete.html');
  assert.equal(await page.title(), 'Incomplete scan: 1 finding');
  assert.match(await text(page, '#tiles'), /^1\s*finding\s*2\s*files scanned/);
  const size = await page.$eval('.banner.incomplete strong', (banner) => Number.parseFloat(getComputedStyle(banner).fontSize));
  assert.ok(size >= 22, `${size} pixels`);
  assert.match(await text(page, '.banner.incomplete'), /Incomplete scan.*not analysed/s);
  await page.keyboard.press('c');
  await page.getByText(/^Files that failed \(1\)$/).click();
  await hasListed(page, /bad\.js: /);
  await picture(page, screenshots, 'incomplete-1400-light');
  await close();
}

/** New, unchanged, unchecked and silenced findings are apart. */
export async function shows_states(open, screenshots) {
  const { page, close } = await open('states.html');
  assert.equal(await text(page, '#count'), '2 findings');
  assert.match(await text(page, '#tiles'), /1\s*new.*1\s*unchanged.*0\s*fixed.*1\s*not checked.*1\s*silenced/s);
  await page.keyboard.press('c');
  await page.getByText(/^Not checked, but in the baseline \(1\)$/).click();
  await hasListed(page, /code-injection: states\/other\.js:1: the file was skipped: excluded/);
  await picture(page, screenshots, 'unchecked-1400-light');
  await page.keyboard.press('c');
  await page.selectOption('#filter-state', 'new');
  assert.equal(await text(page, '#count'), '1 of 2 findings');
  assert.match(await text(page, '#row-0 .rule'), /^code-injection/);
  await page.selectOption('#filter-state', 'silenced');
  assert.equal(await text(page, '#count'), '1 silenced finding');
  await page.click('#row-0');
  assert.match(await text(page, '#facts'), /silenced: only we start it/);
  await picture(page, screenshots, 'states-1400-light');
  await close();
}

/** A scan without findings is a report too. */
export async function can_be_empty(open) {
  const { page, close } = await open('empty.html');
  assert.ok(await page.isVisible('#no-findings'));
  assert.equal(await text(page, '#count'), '0 findings');
  for (const key of ['j', 'k', 'n', 'p', 'g', 'r', 'l', 'Enter', 'End']) await page.keyboard.press(key);
  await close();
}

/** Names and sources of a hostile package are text: nothing of them runs, loads or becomes an element. */
export async function is_safe(open, screenshots) {
  const { page, close } = await open('hostile.html');
  const count = await page.locator('.row').count();
  assert.ok(count >= 2, `${count} findings`);
  for (let finding = 0; finding < count; finding += 1) {
    for (let step = 0; step < 6; step += 1) await page.keyboard.press('n');
    await page.keyboard.press('j');
  }
  assert.equal(await page.evaluate(() => window.ran), undefined);
  assert.equal(await page.locator('img, iframe, object, embed, link, base, meta[http-equiv=refresh]').count(), 0);
  assert.equal(await page.locator('script').count(), 2);
  const all = await page.evaluate(() => document.getElementById('report-data').textContent);
  const places = JSON.parse(all).files.map((file) => file.path).join('\n');
  assert.match(places, /<img src=x onerror=/);
  await page.fill('#search', '<img src=x');
  assert.ok((await page.locator('.row').count()) >= 1);
  assert.match(await page.locator('.row .place').first().getAttribute('title'), /<img src=x onerror=/);
  assert.match(await text(page, '#source'), /<\/script><script>/);
  // Characters that change the order of others are spelled out.
  assert.match(await text(page, '#source'), /U\+202E/);
  // The policy holds even for a script that the page itself would add.
  const blocked = await page.evaluate(() => {
    const script = document.createElement('script');
    try {
      script.textContent = 'window.ran = true';
    } catch {
      // Trusted Types refuse the text already.
    }
    document.body.append(script);
    return window.ran === undefined;
  });
  assert.ok(blocked);
  await picture(page, screenshots, 'hostile-1400-light');
  await page.evaluate(() => console.clear());
  await close().catch((error) => {
    // The blocked script is reported on the console; anything else is a failure.
    const rest = (error.actual ?? [String(error)]).filter((line) => !/console: .*(TrustedScript|Content Security Policy|Console was cleared|console\.clear)/.test(line));
    assert.deepEqual(rest, []);
  });
}

/** Ten thousand findings: few rows exist, wherever the list is, and filters see all findings. */
export async function shows_ten_thousand_findings(open, screenshots) {
  const { page, close } = await open('large.html');
  assert.equal(await text(page, '#count'), '10,000 findings');
  await page.locator('#list').focus();
  await page.keyboard.press('End');
  assert.equal(await page.getAttribute('.row[aria-selected=true]', 'aria-posinset'), '10000');
  assert.ok((await page.locator('.row').count()) < 60);
  await page.keyboard.press('Home');
  assert.equal(await page.getAttribute('.row[aria-selected=true]', 'aria-posinset'), '1');
  await page.evaluate(() => {
    document.getElementById('list').scrollTop = 5000 * 66;
  });
  await page.locator('#row-5001').waitFor();
  assert.ok((await page.locator('.row').count()) < 60);
  await page.fill('#filter-file', 'part7.js');
  assert.match(await text(page, '#count'), /^\d{3} of 10,000 findings$/);
  await picture(page, screenshots, 'large-1400-light');
  await close();
}
