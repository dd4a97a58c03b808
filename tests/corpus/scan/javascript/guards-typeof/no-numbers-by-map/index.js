const { toNumbers } = require('./convert');
const { execSync } = require('child_process');

const pids = toNumbers(process.argv.slice(2));
execSync('kill ' + pids.join(' ')); // ok: command-injection
