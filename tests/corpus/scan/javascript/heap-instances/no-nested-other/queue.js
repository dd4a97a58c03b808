const { exec } = require('child_process');

module.exports = class Queue {
  constructor() {
    this.tasks = [];
  }
  add(task) {
    this.tasks.push(task);
  }
  flush() {
    while (this.tasks.length) exec(this.tasks.pop().command); // ok: command-injection
  }
};
