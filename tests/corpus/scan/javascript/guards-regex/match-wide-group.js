const { exec } = require('child_process');

const match = process.argv[2].match(/^--(\w+)=(.*)$/); // source: argv
if (match) exec(`ls ${match[2]}`); // sink: command-injection argv
