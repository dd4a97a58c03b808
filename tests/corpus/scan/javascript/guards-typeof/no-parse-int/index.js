const { exec } = require('child_process');
const { toNumber } = require('./convert');

exec('kill ' + toNumber(process.argv[2])); // ok: command-injection
