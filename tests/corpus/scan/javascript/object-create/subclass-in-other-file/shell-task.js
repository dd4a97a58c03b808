const { execSync } = require('child_process');
const Task = require('./task');

function ShellTask(name) {
  Task.call(this, name);
}

ShellTask.prototype = Object.create(Task.prototype, { constructor: { value: ShellTask } });

ShellTask.prototype.run = function () {
  execSync(`tar cf ${this.name}.tar ${this.folder}`); // sink: command-injection argv
};

exports.ShellTask = ShellTask;
