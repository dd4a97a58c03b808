const fs = require('fs');
const app = require('express')();

app.post('/upload/:name', (req, res) => {
  fs.writeFileSync('/uploads/' + req.params.name, 'empty'); // source: params // sink: path-traversal params
  res.end();
});
