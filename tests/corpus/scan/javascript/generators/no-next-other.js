const { exec } = require('child_process');

function* worker() {
  const title = yield 'ls';
  exec('ls'); // ok: command-injection
  return title;
}

const run = worker();
exec(run.next().value); // ok: command-injection
run.next(process.argv[2]);
