const { exec } = require('child_process');

function* ask() {
  return yield 'name?';
}
function* greet() {
  const name = yield* ask();
  return `echo ${name}`;
}
function* main() {
  exec(yield* greet()); // sink: command-injection argv
}

const steps = main();
steps.next();
steps.next(process.argv[2]); // source: argv
