const fs = require('fs');
const path = require('path');

require('express')().get('/', (req, res) => {
  const file = path.normalize(req.query.file);
  if (!file.startsWith('/srv/files/')) return res.sendStatus(403);
  fs.createReadStream(file).pipe(res); // ok: path-traversal
});
