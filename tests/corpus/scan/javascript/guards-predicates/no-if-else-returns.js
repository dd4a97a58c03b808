const { exec } = require('child_process');

function isSafe(name) {
  if (typeof name !== 'string') return false;
  if (name.length > 20) return false;
  return /^[a-z]+$/.test(name);
}
const name = process.argv[2];
if (!isSafe(name)) process.exit(1);
else exec('ls ' + name); // ok: command-injection
