const { exec } = require('child_process');

const name = process.argv[2]; // source: argv
let ok = true;
if (!/^\w+$/.test(name)) ok = false;
if (process.env.FORCE) ok = true;
if (ok) exec('svc ' + name); // sink: command-injection argv
