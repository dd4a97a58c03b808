const util = require('util');
const { exec } = require('child_process');

exec(util.format('kill -%d %s', 9, process.argv[2])); // source: argv // sink: command-injection argv
exec(util.format('kill %d', 9, process.argv[2])); // source: second // sink: command-injection second
