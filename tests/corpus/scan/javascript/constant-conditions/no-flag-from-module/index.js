const { createRunner } = require('./runner');

const run = createRunner({ cwd: '/srv' });
run(process.argv.slice(2).join(' '));
