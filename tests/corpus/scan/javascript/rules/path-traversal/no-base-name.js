const fs = require('fs');
const path = require('path');
const app = require('express')();

app.get('/file', (req, res) => {
  const file = path.join('/data', path.basename(req.query.name));
  fs.readFile(file, () => res.end()); // ok: path-traversal
});
