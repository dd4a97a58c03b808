const { exec } = require('child_process');

const isSafe = (name) => /^[a-z]+$/.test(name);

const name = process.argv[2];
exec(isSafe(name) ? name : 'ls'); // ok: command-injection
