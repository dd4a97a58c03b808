const { exec } = require('child_process');

async function* commands() {
  yield 'ls';
  yield process.argv[2]; // source: argv
}

(async () => {
  for await (const command of commands()) exec(command); // sink: command-injection argv
})();
