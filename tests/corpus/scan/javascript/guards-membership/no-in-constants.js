const { exec } = require('child_process');

const commands = { ls: 1, pwd: 2 };
const command = process.argv[2];
if (!(command in commands)) throw new Error('unknown');
exec(command); // ok: command-injection
