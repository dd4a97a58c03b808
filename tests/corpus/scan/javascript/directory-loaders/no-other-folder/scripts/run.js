const { exec } = require('child_process');
module.exports = (command) => exec(command); // ok: command-injection
