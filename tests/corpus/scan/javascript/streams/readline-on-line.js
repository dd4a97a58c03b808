const { exec } = require('child_process');
const readline = require('readline');

const lines = readline.createInterface({ input: process.stdin });
lines.on('line', (line) => { // source: stdin
  exec(line); // sink: command-injection stdin
});
