const { exec } = require('child_process');

let current = 'ls';
let next = process.argv[2]; // source: argv
let round = 0;
do {
  exec(current); // sink: command-injection argv
  current = next;
} while (++round < 2);
