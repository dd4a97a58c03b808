const { exec } = require('child_process');
const { makeTool } = require('./tool');

const own = makeTool('ls', '-l');
const other = makeTool('ls', process.argv[2]);
exec(own.line()); // ok: command-injection
exec(`${other.name()} .`); // ok: command-injection
