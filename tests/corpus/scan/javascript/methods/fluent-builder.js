const { exec } = require('child_process');
class Chain {
  constructor() { this.parts = []; }
  add(part) { this.parts.push(part); return this; }
  build() { return this.parts.join(' '); }
}
exec(new Chain().add('ls').add(process.argv[2]).build()); // source: argv // sink: command-injection argv
exec(new Chain().add('ls').add('-l').build()); // ok: command-injection
