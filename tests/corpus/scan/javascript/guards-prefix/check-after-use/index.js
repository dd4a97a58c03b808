const fs = require('fs');
const { inside } = require('./inside');

const file = process.argv[2]; // source: argv
const text = fs.readFileSync(file, 'utf8'); // sink: path-traversal argv
if (!inside(file)) throw new Error('outside');
module.exports = text;
