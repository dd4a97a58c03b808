const { exec } = require('child_process');

const line = process.argv.slice(2).reduce((all, text) => all + ' ' + text, 'ls'); // source: argv
exec(line); // sink: command-injection argv
