const { exec } = require('child_process');

class Task {
  static #tool = 'run ';
  static of(name) { return new Task(name); }
  constructor(name) { this.name = name; }
  toString() { return this.name; }
  static run(task) { exec(Task.#tool + task); } // sink: command-injection argv
}
Task.run(Task.of(process.argv[2])); // source: argv
