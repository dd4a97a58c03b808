const { exec } = require('child_process');
const acc = {};
['a', 'b'].forEach(function (key) { this[key] = process.argv[2]; }, acc); // source: argv
exec(acc.a); // sink: command-injection argv
