const { exec } = require('child_process');

async function fail() {
  throw new Error(process.argv[2]); // source: argv
}

async function main() {
  try {
    await fail();
  } catch (error) {
    exec('echo ' + error.message); // sink: command-injection argv
  }
}

main();
