const { exec } = require('child_process');

class R {
  constructor(list) { this.list = list; this.i = 0; }
  [Symbol.iterator]() { return this; }
  next() { return this.i < this.list.length ? { value: this.list[this.i++], done: false } : { done: true }; }
}
for (const x of new R([process.argv[2]])) exec(x); // source: argv // sink: command-injection argv
