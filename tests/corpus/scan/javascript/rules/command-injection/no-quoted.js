const { exec } = require('child_process');
const { quote } = require('shell-quote');

exec('ls ' + quote([process.argv[2]])); // ok: command-injection
