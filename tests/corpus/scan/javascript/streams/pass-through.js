const { PassThrough } = require('stream');
const { exec } = require('child_process');

const through = new PassThrough();
through.on('data', (chunk) => exec(chunk.toString())); // sink: command-injection argv
through.write(process.argv[2]); // source: argv
through.end();
