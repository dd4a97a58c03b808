const { exec } = require('child_process');

const table = {};
table[process.argv[3]] = true;

const command = process.argv[2]; // source: argv
if (command in table) exec(command); // sink: command-injection argv
