const { exec } = require('child_process');

const load = (text) => new Promise((resolve, reject) => reject(new Error(text)));

async function main() {
  try {
    await load(process.argv[2]); // source: argv
  } catch (error) {
    exec(error.message); // sink: command-injection argv
  }
}
main();
