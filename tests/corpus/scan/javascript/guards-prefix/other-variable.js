const fs = require('fs');
const path = require('path');

const file = path.resolve('/data', process.argv[2]); // source: argv
const other = path.resolve('/data', 'notes.txt');
if (other.startsWith('/data/')) {
  fs.readFileSync(file); // sink: path-traversal argv
}
