const fs = require('fs');
const path = require('path');

const root = path.resolve('/srv/files');
require('express')().get('/:file', (req, res) => {
  const file = path.resolve(root, req.params.file);
  if (!file.startsWith(root + path.sep)) return res.sendStatus(403);
  fs.createReadStream(file).pipe(res); // ok: path-traversal
});
