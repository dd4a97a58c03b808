const fs = require('fs');

require('express')().get('/', (req, res) => {
  const file = req.query.file; // source: file
  if (!file.startsWith('/srv/files')) return res.sendStatus(403);
  fs.createReadStream(file).pipe(res); // sink: path-traversal file
});
