const { exec } = require('child_process');

function* inner() {
  yield 'x';
  return process.argv[2]; // source: argv
}

function* outer() {
  const command = yield* inner();
  exec(command); // sink: command-injection argv
}

for (const step of outer()) console.log(step);
