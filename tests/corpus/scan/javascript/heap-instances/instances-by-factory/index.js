const { execSync } = require('child_process');
const { createJob } = require('./job');

const tainted = createJob().withTarget(process.argv[2]); // source: argv
const constant = createJob().withTarget('all');

execSync(`make ${tainted.target()}`); // sink: command-injection argv
execSync(`make ${constant.target()}`); // ok: command-injection
