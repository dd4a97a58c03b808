const app = require('express')();

app.get('/download', (req, res) => {
  res.sendFile('/data/' + req.query.file); // source: query // sink: path-traversal query
});
