const { exec } = require('child_process');
const { check } = require('./check');

const name = process.argv[2];
check(name);
exec('ls ' + name); // ok: command-injection
