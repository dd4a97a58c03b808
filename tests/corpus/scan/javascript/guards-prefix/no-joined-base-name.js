const fs = require('fs');
const path = require('path');

require('express')().get('/', (req, res) => {
  fs.readFile(path.join('/srv/files', path.basename(req.query.file)), () => {}); // ok: path-traversal
});
