const { exec } = require('child_process');

const table = { first: process.argv[2] }; // source: argv
for (const key in table) {
  exec(table[key]); // sink: command-injection argv
}
