const { exec } = require('child_process');

function* commands(text) {
  if (text.length > 3) yield 'ls';
  yield 'pwd';
}

for (const command of commands(process.argv[2])) exec(command); // ok: command-injection
