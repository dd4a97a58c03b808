const { exec } = require('child_process');

function* runner() {
  const command = yield 'ready';
  exec(command); // sink: command-injection argv
}

const it = runner();
it.next();
it.next(process.argv[2]); // source: argv
