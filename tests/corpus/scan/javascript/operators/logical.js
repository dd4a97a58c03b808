const { exec } = require('child_process');

const input = process.argv[2]; // source: argv
const command = (input && input.trim()) || 'ls';
exec(command); // sink: command-injection argv
