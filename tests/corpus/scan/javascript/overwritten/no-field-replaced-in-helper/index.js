const { execSync } = require('child_process');
const { freeze } = require('./freeze');

const options = { tool: process.argv[2] };
const fixed = freeze(options);
execSync(`${fixed.tool} --version`); // ok: command-injection
