const { exec } = require('child_process');

async function check(text) {
  throw new Error('bad input ' + text);
}

async function main() {
  try {
    await check(process.argv[2]); // source: argv
  } catch (error) {
    exec('echo ' + error.message); // sink: command-injection argv
  }
}
main();
