const { exec } = require('child_process');

async function same(text) {
  return text;
}

async function main() {
  const tainted = await same(process.argv[2]);
  const clean = await same('ls');
  exec(clean); // ok: command-injection
  return tainted;
}

main();
