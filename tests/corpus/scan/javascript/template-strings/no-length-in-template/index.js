const { execSync } = require('child_process');
const { describe } = require('./describe');

execSync(`echo "${describe(process.argv[2])}"`); // ok: command-injection
