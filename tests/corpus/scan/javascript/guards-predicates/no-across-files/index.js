const { exec } = require('child_process');
const { isUnsafe } = require('./is-unsafe');

const name = process.argv[2];
if (isUnsafe(name)) throw new Error('bad name');
exec('ls ' + name); // ok: command-injection
