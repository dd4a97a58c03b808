const express = require('express');
const fs = require('fs');
const path = require('path');
const app = express();

const root = '/srv/files';
app.get('/f', (req, res) => {
  const file = path.resolve(root, req.query.name); // source: request
  if (!path.relative(root, file).startsWith('..')) return res.sendStatus(403);
  fs.readFile(file, () => res.end()); // sink: path-traversal request
});
