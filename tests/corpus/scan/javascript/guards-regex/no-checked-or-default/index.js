const { execSync } = require('child_process');
const { nameOr } = require('./names');

execSync(`git checkout ${nameOr(process.argv[2], 'main')}`); // ok: command-injection
