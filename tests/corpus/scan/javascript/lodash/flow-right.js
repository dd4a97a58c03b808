const flowRight = require('lodash/flowRight');
const { exec } = require('child_process');

const run = flowRight([(command) => exec(command), (text) => `ls ${text}`]); // sink: command-injection argv
run(process.argv[2]); // source: argv
