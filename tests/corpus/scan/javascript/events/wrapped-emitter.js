const { exec } = require('child_process');

const E = require('events');
class Bus { constructor() { this.e = new E(); } on(n, f) { this.e.on(n, f); return this; } fire(n, v) { this.e.emit(n, v); } }
const bus = new Bus();
bus.on('run', (v) => exec(v)); // sink: command-injection argv
bus.fire('run', process.argv[2]); // source: argv
