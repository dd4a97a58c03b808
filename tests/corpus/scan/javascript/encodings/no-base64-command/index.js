const { exec } = require('child_process');
const { encoded } = require('./encode');

exec('decode ' + encoded(process.argv[2])); // ok: command-injection
exec('decode ' + btoa(process.argv[3])); // ok: command-injection
