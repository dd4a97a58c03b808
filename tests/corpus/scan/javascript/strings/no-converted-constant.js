const { exec } = require('child_process');

class Task {
  static #tool = 'run ';
  static of(name) { return new Task(name); }
  constructor(name) { this.name = name; }
  toString() { return 'task'; }
  static run(task) { exec(Task.#tool + task); } // ok: command-injection
}
Task.run(Task.of(process.argv[2]));
