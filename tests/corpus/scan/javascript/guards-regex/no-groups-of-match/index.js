const { execSync } = require('child_process');
const { parseVersion } = require('./version');

const version = parseVersion(process.argv[2]);
if (version) execSync(`npm version ${version.major}.${version.minor}.0`); // ok: command-injection
