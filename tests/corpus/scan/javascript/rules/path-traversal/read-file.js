const fs = require('fs');
const path = require('path');
const app = require('express')();

app.get('/file', (req, res) => {
  const file = path.join('/data', req.query.name); // source: query
  fs.readFile(file, (error, text) => res.json({ size: text.length })); // sink: path-traversal query
});
