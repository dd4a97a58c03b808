const { exec } = require('child_process');
exports.run = (text) => exec(text); // ok: command-injection
