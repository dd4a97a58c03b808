const task = {};
Object.defineProperties(task, {
  name: { value: 'x' },
  command: { get: () => process.env.COMMAND }, // source: argv
});
module.exports = task;
