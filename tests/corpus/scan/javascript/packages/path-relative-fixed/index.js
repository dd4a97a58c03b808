const fs = require('fs');
const path = require('path');
const express = require('express');

const app = express();
const uploads = path.join(__dirname, 'uploads');

app.get('/download', async (req, res) => {
  const target = path.join(uploads, req.query.file);
  const relative = path.relative(uploads, target);
  if (relative.startsWith('..') || path.isAbsolute(relative)) {
    return res.sendStatus(403);
  }
  const data = await fs.promises.readFile(target);
  res.type('application/octet-stream').json(data);
});
