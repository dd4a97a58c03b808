const { exec } = require('child_process');

const allowed = ['ls', 'pwd'];
const isAllowed = (v) => allowed.some((x) => x === v);
const v = process.argv[2];
if (isAllowed(v)) exec(v); // ok: command-injection
