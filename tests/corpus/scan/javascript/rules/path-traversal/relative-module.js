const app = require('express')();

app.get('/', (req, res) => {
  require('./plugins/' + req.query.name); // source: name // sink: path-traversal name
  res.end();
});

app.get('/import', async (req, res) => {
  await import(`./plugins/${req.query.name}.js`); // source: second // sink: path-traversal second
  res.end();
});
