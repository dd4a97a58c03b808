const { exec } = require('child_process');

class Base {
  static create(command) {
    const task = new this();
    task.command = command;
    return task;
  }
}
class Task extends Base {}

exec(Task.create(process.argv[2]).command); // source: argv // sink: command-injection argv
