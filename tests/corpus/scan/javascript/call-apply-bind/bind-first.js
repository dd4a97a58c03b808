const { exec } = require('child_process');

const run = (dir, cmd) => exec(cmd, { cwd: dir }); // sink: command-injection argv
const inTmp = run.bind(null, '/tmp');
inTmp(process.argv[2]); // source: argv
