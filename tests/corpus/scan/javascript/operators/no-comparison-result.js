const { exec } = require('child_process');

function isLong(text) {
  return text.length > 3 && text !== 'x';
}

exec('echo ' + isLong(process.argv[2])); // ok: command-injection
