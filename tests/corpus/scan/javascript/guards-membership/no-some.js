const { exec } = require('child_process');

const allowed = ['ls', 'pwd'];
const v = process.argv[2];
if (allowed.some((x) => x === v)) exec(v); // ok: command-injection
