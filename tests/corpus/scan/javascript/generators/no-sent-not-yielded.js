const { exec } = require('child_process');

function* runner() {
  const text = yield 'ls';
  return text;
}

const it = runner();
exec(it.next().value); // ok: command-injection
it.next(process.argv[2]);
