const fs = require('fs');
const { resolveInside } = require('./resolve');

fs.readFileSync(resolveInside('/data', process.argv[2])); // ok: path-traversal
