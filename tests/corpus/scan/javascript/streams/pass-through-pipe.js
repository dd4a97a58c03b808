const { exec } = require('child_process');

const { PassThrough } = require('stream');
const a = new PassThrough();
const b = new PassThrough();
process.stdin.pipe(a).on('data', (chunk) => exec(String(chunk))); // source: stdin // sink: command-injection stdin
b.write('ls');
b.on('data', (chunk) => exec(String(chunk))); // ok: command-injection
