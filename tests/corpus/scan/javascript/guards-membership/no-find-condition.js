const { exec } = require('child_process');

const allowed = ['ls', 'pwd'];
const v = process.argv[2];
const found = allowed.find((x) => x === v);
exec(found); // ok: command-injection
if (!allowed.find((x) => x === v)) process.exit(1);
exec(v); // ok: command-injection
