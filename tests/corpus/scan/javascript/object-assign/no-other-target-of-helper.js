const { execSync } = require('child_process');

function extend(target, source) {
  return Object.assign(target, source);
}

const user = extend({}, { tool: process.argv[2] });
const system = extend({}, { tool: 'git' });
execSync(`${system.tool} status`); // ok: command-injection
module.exports = user;
