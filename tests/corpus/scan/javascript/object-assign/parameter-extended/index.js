const { extend } = require('./extend');
const { execSync } = require('child_process');

const options = { tool: 'git' };
extend(options, { branch: process.argv[2] }); // source: argv
execSync(`${options.tool} checkout ${options.branch}`); // sink: command-injection argv
