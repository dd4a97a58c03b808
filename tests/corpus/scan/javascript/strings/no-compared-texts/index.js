const { execSync } = require('child_process');
const { isNewer } = require('./versions');

execSync(`echo ${isNewer(process.argv[2], '1.0.0') ? 'update' : 'current'}`); // ok: command-injection
