const { exec } = require('child_process');

const map = { ls: 1, pwd: 2 };
const v = process.argv[2];
if (Object.keys(map).includes(v)) exec(v); // ok: command-injection
if (Object.keys(map).indexOf(v) < 0) throw new Error('no');
exec(v); // ok: command-injection
