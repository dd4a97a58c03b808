const { exec } = require('child_process');

const input = process.argv[2];
if (1 > 2) {
  exec(input); // ok: command-injection
}
