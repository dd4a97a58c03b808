const { exec } = require('child_process');

exports.before = (command) => exec(command); // sink: command-injection argv
