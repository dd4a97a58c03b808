const { exec } = require('child_process');

let name = 'a';
let ok = true;
if (!/^\w+$/.test(name)) ok = false;
name = process.argv[2]; // source: argv
if (ok) exec('svc ' + name); // sink: command-injection argv
