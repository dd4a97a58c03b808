const { exec } = require('child_process');

const table = { ls: process.argv[2], pwd: process.argv[3] };
for (const key in table) {
  exec(key); // ok: command-injection
}
