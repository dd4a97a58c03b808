const { exec } = require('child_process');

const command = (false && process.argv[2]) || 'ls';
exec(command); // ok: command-injection
