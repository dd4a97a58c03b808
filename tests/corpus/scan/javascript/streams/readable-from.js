const { Readable } = require('stream');
const { exec } = require('child_process');

Readable.from([process.argv[2]]).on('data', (chunk) => { // source: argv
  exec(chunk); // sink: command-injection argv
});
