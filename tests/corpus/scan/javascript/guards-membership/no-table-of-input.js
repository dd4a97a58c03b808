// The values of a table are untrusted, its keys are constants.
const { exec } = require('child_process');

const table = { ls: process.argv[3], pwd: '' };

const command = process.argv[2];
if (command in table) exec(command); // ok: command-injection
if (Object.keys(table).includes(command)) exec(command); // ok: command-injection
