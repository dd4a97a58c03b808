const { exec } = require('child_process');

function* inner() {
  const command = yield 'ready';
  exec(command); // ok: command-injection
}

function* outer() {
  const name = yield 'name?';
  yield name.length;
}

const quiet = inner();
quiet.next();
quiet.next('ls');
const steps = outer();
steps.next();
steps.next(process.argv[2]);
