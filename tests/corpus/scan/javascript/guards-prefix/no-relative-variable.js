const express = require('express');
const fs = require('fs');
const path = require('path');
const app = express();

const root = '/srv/files';
app.get('/f', (req, res) => {
  const file = path.join(root, req.query.name);
  const relative = path.relative(root, file);
  if (relative.startsWith('..') || path.isAbsolute(relative)) {
    res.sendStatus(403);
    return;
  }
  fs.readFile(file, () => res.end()); // ok: path-traversal
});
