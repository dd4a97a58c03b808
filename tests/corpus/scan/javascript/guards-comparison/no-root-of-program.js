const fs = require('fs');
const path = require('path');
const app = require('express')();

const root = path.resolve(process.cwd(), 'data');
app.get('/', (req, res) => {
  const file = path.resolve(root, req.query.file);
  if (file === root || file.startsWith(root + path.sep)) fs.createReadStream(file).pipe(res); // ok: path-traversal
});
