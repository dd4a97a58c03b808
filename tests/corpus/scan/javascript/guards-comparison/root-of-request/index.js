const fs = require('fs');
const app = require('express')();
const { isSame } = require('./same');

app.get('/', (req, res) => {
  const file = req.query.file; // source: input
  if (!isSame(file, req.query.root)) return res.end();
  fs.createReadStream(file).pipe(res); // sink: path-traversal input
});
