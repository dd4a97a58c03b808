const { exec } = require('child_process');

function* inner(text) {
  yield text;
  return 'ls';
}

function* outer(text) {
  const command = yield* inner(text);
  exec(command); // ok: command-injection
}

for (const step of outer(process.argv[2])) console.log(step);
