const fs = require('fs');

const names = process.argv.slice(2); // source: argv
names.map(fs.readFileSync); // sink: path-traversal argv
