const { execSync } = require('child_process');
const { oneOf } = require('./one-of');

const verb = oneOf(process.argv[2], ['status', 'log']);
execSync(`git ${verb}`); // ok: command-injection
