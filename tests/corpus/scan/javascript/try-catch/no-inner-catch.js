const { exec } = require('child_process');

function check(text) {
  try {
    throw new Error(text);
  } catch (error) {
    throw new Error('bad input');
  }
}

try {
  check(process.argv[2]);
} catch (error) {
  exec('echo ' + error.message); // ok: command-injection
}
