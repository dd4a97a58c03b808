const settings = require('./settings');
const { execSync } = require('child_process');

settings.configure({ shell: process.argv[2] }); // source: argv
execSync(`${settings.current().shell} -c true`); // sink: command-injection argv
