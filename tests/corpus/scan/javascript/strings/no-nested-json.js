const { exec } = require('child_process');

const input = { a: { b: process.argv[2] }, c: { d: 'x' } };
exec('run ' + JSON.stringify(input.c)); // ok: command-injection
