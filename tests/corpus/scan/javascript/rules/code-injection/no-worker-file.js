// scan: sources=library
const { Worker } = require('worker_threads');

exports.run = (data) => new Worker('./worker.js', { workerData: data, eval: false }); // ok: code-injection
