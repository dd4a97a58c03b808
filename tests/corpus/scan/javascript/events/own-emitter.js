const { exec } = require('child_process');

class Emitter {
  constructor() { this.h = {}; }
  on(n, f) { (this.h[n] = this.h[n] || []).push(f); }
  emit(n, ...a) { (this.h[n] || []).forEach((f) => f(...a)); }
}
const e = new Emitter();
e.on('run', (v) => exec(v)); // sink: command-injection argv
e.emit('run', process.argv[2]); // source: argv
