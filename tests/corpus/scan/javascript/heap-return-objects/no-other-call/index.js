const { exec } = require('child_process');
const { parse } = require('./parse');

const tainted = parse(process.argv[2]);
const clean = parse('/tmp');
exec(clean.line); // ok: command-injection
module.exports = tainted;
