const { exec } = require('child_process');
exports.start = (command) => exec(command); // sink: command-injection file
