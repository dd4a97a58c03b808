const { exec } = require('child_process');

let a = process.argv[2]; // source: argv
let b = 'ls';
[a, b] = [b, a];
exec(b); // sink: command-injection argv
