const { exec } = require('child_process');
const { load } = require('./load');

async function main() {
  const { command } = await load();
  exec(command); // sink: command-injection argv
}

main();
