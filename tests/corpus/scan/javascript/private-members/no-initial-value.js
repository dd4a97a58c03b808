const { exec } = require('child_process');
class Counter {
  #command = 'ls';
  #title;
  constructor(title) { this.#title = title; }
  run() { exec(this.#command); } // ok: command-injection
}
new Counter(process.argv[2]).run();
