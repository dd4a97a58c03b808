const { exec } = require('child_process');

let c = process.argv[2]; // source: argv
try { JSON.parse('x'); c = 'ls'; } catch { }
exec(c); // sink: command-injection argv
