// A promise is always true.
const { exec } = require('child_process');

async function isSafe(text) {
  return /^\w+$/.test(text);
}

const command = process.argv[2]; // source: argv
if (!isSafe(command)) throw new Error('bad');
exec(command); // sink: command-injection argv
