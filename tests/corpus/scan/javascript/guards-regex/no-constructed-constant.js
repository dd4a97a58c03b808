const { exec } = require('child_process');

const pattern = new RegExp('^[a-z]+$', 'i');
const name = process.argv[2];
if (!pattern.test(name)) throw new Error('no name');
exec('ls ' + name); // ok: command-injection
