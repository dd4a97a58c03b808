const { exec } = require('child_process');

const input = process.argv[2]; // source: argv
for (const name of ['a', 'b']) {
  if (input === name) break;
}
exec(input); // sink: command-injection argv
