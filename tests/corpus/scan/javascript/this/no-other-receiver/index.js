const { execSync } = require('child_process');
const { describe } = require('./describe');

const user = { name: process.argv[2], describe };
const tool = { name: 'git', describe };
execSync(tool.describe()); // ok: command-injection
module.exports = user.describe();
