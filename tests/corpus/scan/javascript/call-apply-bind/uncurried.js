const { exec } = require('child_process');

const slice = Function.prototype.call.bind(Array.prototype.slice);
exec(slice(process.argv, 2)[0]); // source: argv // sink: command-injection argv
