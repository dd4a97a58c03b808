const { exec } = require('child_process');

const ALLOWED = ['ls', 'pwd'];
const command = process.argv[2];
if (ALLOWED.indexOf(command) === -1) process.exit(1);
exec(command); // ok: command-injection
