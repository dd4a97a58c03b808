const { exec } = require('child_process');

const name = process.argv[2];
if (new RegExp('^[a-z]+$').test(name)) exec('ls ' + name); // ok: command-injection
