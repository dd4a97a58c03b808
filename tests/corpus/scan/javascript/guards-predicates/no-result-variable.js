const { exec } = require('child_process');

function isSafe(name) {
  const matches = /^[a-z]+$/.test(name);
  return matches;
}
const name = process.argv[2];
const safe = isSafe(name);
if (!safe) throw new Error('no');
exec('ls ' + name); // ok: command-injection
