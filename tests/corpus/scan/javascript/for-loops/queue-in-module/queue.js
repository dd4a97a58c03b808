const jobs = [];

module.exports = {
  push(job) {
    jobs.push(job);
  },
  *[Symbol.iterator]() {
    while (jobs.length > 0) yield jobs.shift();
  },
};
