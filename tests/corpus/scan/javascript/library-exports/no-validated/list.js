const { exec } = require('child_process');

exports.list = (directory) => exec('ls ' + directory); // ok: command-injection
