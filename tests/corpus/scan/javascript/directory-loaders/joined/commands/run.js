const { exec } = require('child_process');
exports.run = (command) => exec(command); // source: command // sink: command-injection command
