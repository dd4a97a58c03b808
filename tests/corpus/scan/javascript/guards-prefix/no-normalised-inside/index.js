const fs = require('fs');
const { inside } = require('./inside');

require('express')().get('/', (req, res) => {
  fs.readFile(inside('/srv/files/', req.query.file), () => {}); // ok: path-traversal
});
