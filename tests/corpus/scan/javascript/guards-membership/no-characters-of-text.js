const { exec } = require('child_process');

const name = process.argv[2];
if (Array.from(name).every((letter) => /^[a-z]$/.test(letter))) exec(`ls ${name}`); // ok: command-injection
if (!name.split('').every((letter) => 'abc'.includes(letter) && /^\w$/.test(letter))) throw new Error('bad');
exec(`ls ${name}`); // ok: command-injection
