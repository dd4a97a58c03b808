const { exec } = require('child_process');
const { table } = require('./table');

for (const command of table(process.argv[2]).values()) exec(command); // source: argv // sink: command-injection argv
