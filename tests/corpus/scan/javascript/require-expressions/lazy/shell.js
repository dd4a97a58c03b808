const { exec } = require('child_process');

exports.run = (command) => exec(command); // sink: command-injection argv
