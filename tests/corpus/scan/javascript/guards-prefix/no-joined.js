const fs = require('fs');
const path = require('path');

const root = path.join(__dirname, 'files');
require('express')().get('/', (req, res) => {
  const file = path.join(root, req.query.file);
  if (file.indexOf(root) !== 0) return res.sendStatus(403);
  fs.readFile(file, () => {}); // ok: path-traversal
});
