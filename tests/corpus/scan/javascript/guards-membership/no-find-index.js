const { exec } = require('child_process');

const allowed = ['ls', 'pwd'];
const v = process.argv[2];
if (allowed.findIndex((x) => x === v) === -1) throw new Error('no');
exec(v); // ok: command-injection
