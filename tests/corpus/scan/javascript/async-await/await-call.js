const { exec } = require('child_process');

async function read() {
  return process.argv[2]; // source: argv
}

async function main() {
  const command = await read();
  exec(command); // sink: command-injection argv
}

main();
