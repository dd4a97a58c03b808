const { exec } = require('child_process');

const head = ['ls'];
const all = [...head, ...process.argv.slice(2)]; // source: argv
exec(all.join(' ')); // sink: command-injection argv
