const { exec } = require('child_process');
const { makeTool } = require('./tool');

const own = makeTool('ls', '-l');
const other = makeTool('ls', process.argv[2]); // source: argv
exec(other.line()); // sink: command-injection argv
exec(own.name());
