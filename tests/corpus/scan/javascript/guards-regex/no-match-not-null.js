const { exec } = require('child_process');

const name = process.argv[2];
if (name.match(/^[a-z]+$/) !== null) exec('ls ' + name); // ok: command-injection
