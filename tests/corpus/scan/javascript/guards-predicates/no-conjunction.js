const { exec } = require('child_process');

const isSafe = (name) => /^[a-z]+$/.test(name);

const name = process.argv[2];
if (name.length < 50 && isSafe(name)) exec('ls ' + name); // ok: command-injection
