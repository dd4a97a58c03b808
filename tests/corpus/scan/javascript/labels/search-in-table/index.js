const { firstMatch } = require('./table');
const { execSync } = require('child_process');

execSync(`open ${firstMatch([['a', 'b'], process.argv.slice(2)], 'c')}`); // source: argv // sink: command-injection argv
