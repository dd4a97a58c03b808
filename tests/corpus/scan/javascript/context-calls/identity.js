const { exec } = require('child_process');

function same(text) {
  return text;
}

const clean = same('pwd');
const command = same(process.argv[2]); // source: argv
exec(command); // sink: command-injection argv
exec(clean); // ok: command-injection
