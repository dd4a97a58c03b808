const { exec } = require('child_process');

let id = process.argv[2]; // source: argv
exec('kill ' + id); // sink: command-injection argv
id = Number(id);
