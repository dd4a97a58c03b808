const { exec } = require('child_process');

function choose(text) {
  let command = 'ls';
  block: {
    break block;
    command = text;
  }
  return command;
}

exec(choose(process.argv[2])); // ok: command-injection
