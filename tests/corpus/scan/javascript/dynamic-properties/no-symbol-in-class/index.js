const { execSync } = require('child_process');
const { Job, kCommand } = require('./job');

const job = new Job(process.argv[2]);
execSync(job[kCommand]); // ok: command-injection
module.exports = job;
