// The error of an async function comes too late.
const { exec } = require('child_process');

async function check(text) {
  if (!/^\w+$/.test(text)) throw new Error('bad');
}

const command = process.argv[2]; // source: argv
check(command);
exec(command); // sink: command-injection argv
