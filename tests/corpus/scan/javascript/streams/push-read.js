const { Readable } = require('stream');
const { exec } = require('child_process');

const lines = new Readable({ read() {} });
lines.push(process.argv[2]); // source: argv
lines.push(null);
lines.on('data', (line) => exec(String(line))); // sink: command-injection argv
