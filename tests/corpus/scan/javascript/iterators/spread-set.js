const { exec } = require('child_process');

const unique = [...new Set(process.argv.slice(2))]; // source: argv
exec(unique.join(' ')); // sink: command-injection argv
