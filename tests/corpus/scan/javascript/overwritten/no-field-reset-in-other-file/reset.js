exports.reset = function reset(job) {
  job.size = 0;
  job.command = 'ls';
};
