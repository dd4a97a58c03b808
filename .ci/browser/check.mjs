// Opens HTML pages of vyre in headless Chromium and uses them as a reader would.
//
//     node check.mjs PACKAGES [MODULE FOLDER [SCREENSHOTS]]
//
// PACKAGES is the folder in which `npm ci` has installed the packages of package-lock.json. MODULE has the checks of the pages in FOLDER:
//
// - reports: the reports of `vyre scan`, `flow.html`, `hostile.html`, `incomplete.html`, `empty.html`, `states.html` and `large.html`, which
//   crates/vyre-cli/tests/cli/scan/html.rs describes
// - certificates: the page of `vyre conform show`, which crates/vyre-cli/tests/cli/conform.rs describes
//
// Without them only an empty page is opened. With SCREENSHOTS pictures of the pages are written to that folder.
//
// Exit codes: 0 if all checks pass, 1 if some fail, 2 if the browser does not start.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [packages, module, folder, screenshots] = process.argv.slice(2);

async function launch() {
  const { chromium } = createRequire(join(resolve(packages), 'package.json'))('playwright-core');
  return chromium.launch({
    executablePath: process.env.VYRE_CHROMIUM || '/usr/bin/chromium',
    // Containers have neither the sandbox nor a large /dev/shm. The pages have no network.
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
    timeout: 60_000,
  });
}

/** Opens a page. It fails if the page logs an error, runs an alert or requests anything but itself. */
async function open(browser, name, options) {
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 }, ...options });
  const page = await context.newPage();
  const address = pathToFileURL(join(resolve(folder), name)).href;
  const unwanted = [];
  page.on('pageerror', (error) => unwanted.push(`error: ${error}`));
  page.on('console', (message) => unwanted.push(`console: ${message.text()}`));
  page.on('dialog', (dialog) => {
    unwanted.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on('request', (request) => {
    if (request.url().split('#')[0] !== address) unwanted.push(`request: ${request.url()}`);
  });
  await page.goto(address);
  return { page, address, close: async () => {
    await context.close();
    assert.deepEqual(unwanted, [], name);
  } };
}

let browser;
try {
  browser = await launch();
} catch (error) {
  console.error(String(error));
  process.exit(2);
}
let failures = 0;
try {
  if (folder === undefined) {
    const page = await browser.newPage();
    await page.goto('about:blank');
  } else {
    const checks = await import(`./${module}.mjs`);
    for (const [name, check] of Object.entries(checks)) {
      try {
        await check((page, options) => open(browser, page, options), screenshots, folder);
        console.log(`passed: ${name}`);
      } catch (error) {
        failures += 1;
        console.log(`FAILED: ${name}\n${error.stack}`);
      }
    }
    console.log(`${Object.keys(checks).length - failures} of ${Object.keys(checks).length} checks passed`);
  }
} finally {
  await browser.close();
}
process.exit(failures > 0 ? 1 : 0);
