const fs = require('fs');
const path = require('path');

require('express')().get('/', (req, res) => {
  const name = path.normalize(req.query.file).replace(/^(\.\.(\/|\\|$))+/, '');
  fs.readFile(path.join('/srv/files', name), () => {}); // ok: path-traversal
});
