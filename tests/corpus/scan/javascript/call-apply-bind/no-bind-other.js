const { exec } = require('child_process');

const run = (dir, cmd) => exec(cmd, { cwd: dir }); // ok: command-injection
const inDir = run.bind(null, process.argv[2]);
inDir('ls');
