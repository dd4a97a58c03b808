const { PassThrough } = require('stream');
const { exec } = require('child_process');

const one = new PassThrough();
const two = new PassThrough();
one.on('data', (chunk) => chunk.length);
two.on('data', (chunk) => exec(chunk.toString())); // ok: command-injection
one.write(process.argv[2]);
two.write('ls');
