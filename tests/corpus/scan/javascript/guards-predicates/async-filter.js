// A callback that returns promises accepts everything.
const { exec } = require('child_process');

async function isSafe(text) {
  return /^\w+$/.test(text);
}

process.argv.filter(isSafe).forEach((command) => exec(command)); // source: argv // sink: command-injection argv
