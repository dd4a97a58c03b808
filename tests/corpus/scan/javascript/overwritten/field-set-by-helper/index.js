const { execSync } = require('child_process');
const { applyDefaults } = require('./defaults');

const options = { tool: process.argv[2], name: 'x' }; // source: argv
applyDefaults(options);
execSync(`${options.tool} --version`); // sink: command-injection argv
