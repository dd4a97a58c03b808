const { exec } = require('child_process');
const { isValid } = require('./valid');

const name = process.argv[2];
if (isValid(name)) exec('svc ' + name); // ok: command-injection
