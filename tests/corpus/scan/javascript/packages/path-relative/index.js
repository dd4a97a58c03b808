const fs = require('fs');
const path = require('path');
const express = require('express');

const app = express();
const uploads = path.join(__dirname, 'uploads');

app.get('/download', async (req, res) => {
  const target = path.join(uploads, req.query.file); // source: a
  const data = await fs.promises.readFile(target); // sink: path-traversal a
  res.type('application/octet-stream').json(data);
});
