const { exec } = require('child_process');
const { pick } = require('./pick');

exec(pick('ls', process.argv[2])); // ok: command-injection
