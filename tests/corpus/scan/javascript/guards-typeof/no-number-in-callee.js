const { exec } = require('child_process');

function toNumber(text) {
  const number = Number(text);
  if (Number.isNaN(number)) throw new TypeError('no number');
  return number;
}

exec('head -n ' + toNumber(process.argv[2])); // ok: command-injection
