const { exec } = require('child_process');
const { fixed } = require('./input');

exec(fixed); // ok: command-injection
