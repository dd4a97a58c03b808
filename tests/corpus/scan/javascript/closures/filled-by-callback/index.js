const { execSync } = require('child_process');
const { parseQuery } = require('./query');

const options = parseQuery(process.argv[2]); // source: argv
execSync(`convert ${options.file}`); // sink: command-injection argv
