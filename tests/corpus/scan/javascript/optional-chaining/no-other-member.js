const { exec } = require('child_process');

const options = { shell: { name: process.argv[2], command: 'ls' } };
exec(options?.shell?.command); // ok: command-injection
