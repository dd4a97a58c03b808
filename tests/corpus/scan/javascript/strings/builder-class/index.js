const { execSync } = require('child_process');
const CommandLine = require('./command-line');

const line = new CommandLine('tar').option('--file', 'out.tar').word(process.argv[2]); // source: argv
execSync(String(line)); // sink: command-injection argv
