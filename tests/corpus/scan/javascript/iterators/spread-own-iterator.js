const { exec } = require('child_process');

class L { constructor(x) { this.x = x; } *[Symbol.iterator]() { yield this.x; } }
exec([...new L(process.argv[2])].join(' ')); // source: argv // sink: command-injection argv
exec(Array.from(new L(process.argv[2]))[0]); // source: second // sink: command-injection second
exec([...new L('ls')].join(' ')); // ok: command-injection
