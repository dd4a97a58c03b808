const { exec } = require('child_process');
class Base {
  #secret;
  constructor(value) { this.#secret = value; }
  get secret() { return this.#secret; }
  static of(value) { return new this(value); }
}
class Child extends Base {
  run() { exec(super.secret); } // sink: command-injection argv
}
Child.of(process.argv[2]).run(); // source: argv
