const { exec } = require('child_process');

function* inner(text) {
  yield 'one';
  return text.trim();
}

function* outer(text) {
  const command = yield* inner(text);
  exec(command); // sink: command-injection argv
}

for (const step of outer(process.argv[2])) console.log(step); // source: argv
