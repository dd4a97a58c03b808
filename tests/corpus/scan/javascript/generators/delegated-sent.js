const { exec } = require('child_process');

function* inner() {
  const command = yield 'ready';
  exec(command); // sink: command-injection argv
}

function* outer() {
  yield* inner();
}

const steps = outer();
steps.next();
steps.next(process.argv[2]); // source: argv
