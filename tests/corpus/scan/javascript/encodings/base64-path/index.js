const fs = require('fs');
const { nameOf } = require('./names');

fs.unlinkSync('cache/' + nameOf(process.argv[2])); // source: argv // sink: path-traversal argv
