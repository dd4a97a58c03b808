const { exec } = require('child_process');
module.exports = (command) => exec(command); // source: command // sink: command-injection command
