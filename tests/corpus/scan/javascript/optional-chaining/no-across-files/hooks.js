const { exec } = require('child_process');

exports.before = (command) => exec(command); // ok: command-injection
exports.after = (text) => text.length;
