const { exec } = require('child_process');

const { pipeline, Writable } = require('stream');
const out = new Writable({ write(chunk, enc, cb) { exec(chunk.toString()); cb(); } }); // sink: command-injection stdin
pipeline(process.stdin, out, () => {}); // source: stdin
