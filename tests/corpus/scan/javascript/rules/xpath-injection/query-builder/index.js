const app = require('express')();
const { Catalog } = require('./catalog');

const catalog = new Catalog('<books/>');

app.get('/books', (req, res) => {
  res.json(catalog.by('author', req.query.author)); // source: author
});
