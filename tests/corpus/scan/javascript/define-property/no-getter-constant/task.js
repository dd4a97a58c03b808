const task = { hidden: process.env.COMMAND };
Object.defineProperty(task, 'command', {
  get() {
    return this.hidden ? 'ls' : 'pwd';
  },
});
module.exports = task;
