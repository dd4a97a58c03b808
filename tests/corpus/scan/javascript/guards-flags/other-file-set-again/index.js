const { exec } = require('child_process');
const { isValid } = require('./valid');

const name = process.argv[2]; // source: argv
if (isValid(name, false)) exec('svc ' + name); // sink: command-injection argv
