const { exec } = require('child_process');

function* commands() {
  yield process.argv[2]; // source: argv
}

for (const command of commands()) exec(command); // sink: command-injection argv
