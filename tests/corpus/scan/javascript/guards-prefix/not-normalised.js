const fs = require('fs');

const root = '/srv/files/';
require('express')().get('/', (req, res) => {
  const file = root + req.query.file; // source: file
  if (!file.startsWith(root)) return res.sendStatus(403);
  fs.createReadStream(file).pipe(res); // sink: path-traversal file
});
