const util = require('util');
const cp = require('child_process');

util.promisify(cp.exec)(process.argv[2]).then((result) => console.log(result.stdout.length)); // source: argv // sink: command-injection argv
