const { choose, last } = require('./choose');
const { execSync } = require('child_process');

execSync(choose(process.argv[2])); // source: second // sink: command-injection second
execSync(last(process.argv[3])); // source: third // sink: command-injection third
