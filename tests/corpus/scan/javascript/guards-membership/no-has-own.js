const { exec } = require('child_process');

const commands = { ls: 1, pwd: 2 };
const command = process.argv[2];
if (Object.hasOwn(commands, command)) exec(command); // ok: command-injection
