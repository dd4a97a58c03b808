const { exec } = require('child_process');
const { allowed } = require('./allowed');

const command = process.argv[2];
if (Object.hasOwn(allowed, command)) exec(command); // ok: command-injection
