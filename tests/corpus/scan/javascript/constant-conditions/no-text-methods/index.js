const { choose, first, largest } = require('./choose');
const { execSync } = require('child_process');

execSync(choose(process.argv[2])); // ok: command-injection
execSync(first(process.argv[2])); // ok: command-injection
execSync(largest(process.argv[2])); // ok: command-injection
