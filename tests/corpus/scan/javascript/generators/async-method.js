const { exec } = require('child_process');

class Queue {
  constructor() { this.items = []; }
  push(v) { this.items.push(v); }
  async *drain() { while (this.items.length) yield this.items.shift(); }
}
const q = new Queue();
q.push(process.argv[2]); // source: argv
(async () => { for await (const v of q.drain()) exec(v); })(); // sink: command-injection argv
