const plugins = require('./plugins');
const { exec } = require('child_process');

const name = process.argv[2]; // source: argv
plugins.allow(name);
if (plugins.isAllowed(name)) exec(`npx ${name}`); // sink: command-injection argv
