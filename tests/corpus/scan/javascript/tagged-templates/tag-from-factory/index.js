const { shell } = require('./shell');

const run = shell({ cwd: '/srv' });
run`git checkout ${process.argv[2]}`; // source: argv
