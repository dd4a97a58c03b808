const { exec } = require('child_process');

async function isSafe(text) {
  return /^\w+$/.test(text);
}

async function isFine(text) {
  return isSafe(text);
}

async function check(text) {
  if (!/^\w+$/.test(text)) throw new Error('bad');
}

async function main() {
  const first = process.argv[2];
  if (await isSafe(first)) exec(first); // ok: command-injection
  const second = process.argv[3];
  await check(second);
  exec(second); // ok: command-injection
  const third = process.argv[4];
  const isOk = await isFine(third);
  if (isOk) exec(third); // ok: command-injection
}
main();
