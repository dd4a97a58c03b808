const { exec } = require('child_process');

const name = process.argv[2];
let ok = true;
if (!/^\w+$/.test(name)) ok = false;
if (!ok) process.exit(1);
else exec('svc ' + name); // ok: command-injection
