const { exec } = require('child_process');
const { reset } = require('./reset');

function main(text) {
  const job = { command: text, name: 'job' };
  job.size = job.command.length;
  reset(job);
  exec(job.command); // ok: command-injection
}
main(process.argv[2]);
