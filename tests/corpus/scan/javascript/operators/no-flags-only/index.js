const { flagsOf } = require('./flags');
const { execSync } = require('child_process');

execSync(`make ${flagsOf(process.argv.slice(2))}`); // ok: command-injection
