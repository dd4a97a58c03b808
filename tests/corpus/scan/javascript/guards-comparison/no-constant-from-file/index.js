const { exec } = require('child_process');
const { LIST } = require('./names');

const command = process.argv[2];
if (command === LIST) exec(command); // ok: command-injection
