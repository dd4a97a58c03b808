const { exec } = require('child_process');
const { decode } = require('./decode');

exec(decode(Buffer.from(process.argv[2]).toString('base64'))); // source: argv // sink: command-injection argv
