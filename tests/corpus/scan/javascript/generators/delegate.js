const { exec } = require('child_process');

function* inner() {
  yield process.argv[2]; // source: argv
}
function* outer() {
  yield 'ls';
  yield* inner();
}

exec([...outer()].join(' ')); // sink: command-injection argv
