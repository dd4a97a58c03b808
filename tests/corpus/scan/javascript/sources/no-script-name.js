const { exec } = require('child_process');

const path = require('path');
exec('ls ' + path.join(__dirname, 'data')); // ok: command-injection
exec('ls ' + process.cwd() + process.pid + process.platform); // ok: command-injection
