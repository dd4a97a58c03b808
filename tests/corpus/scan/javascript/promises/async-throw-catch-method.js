const { exec } = require('child_process');

async function check(text) {
  throw new Error('bad input ' + text);
}

check(process.argv[2]).catch((error) => exec('echo ' + error.message)); // source: argv // sink: command-injection argv
