// scan: sources=library
const { Worker } = require('worker_threads');

exports.run = (code) => new Worker(code, { eval: true }); // source: code // sink: code-injection code
