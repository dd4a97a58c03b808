const { exec } = require('child_process');

const src = { async *[Symbol.asyncIterator]() { yield process.argv[2]; } }; // source: argv
(async () => { for await (const x of src) exec(x); })(); // sink: command-injection argv
