const { exec } = require('child_process');
const { load } = require('./load');

async function main() {
  const { name } = await load();
  exec(name); // ok: command-injection
}

main();
