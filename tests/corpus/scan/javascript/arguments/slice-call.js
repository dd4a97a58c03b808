const { exec } = require('child_process');
function first() { return arguments[0]; }
function all() { return Array.prototype.slice.call(arguments, 1); }
exec(first(process.argv[2], 'x')); // source: argv // sink: command-injection argv
exec(first('ls', process.argv[2])); // ok: command-injection
exec(all('a', process.argv[2])[0]); // source: second // sink: command-injection second
