const app = require('express')();
const { find } = require('./find');

app.get('/', (req, res) => {
  res.json(find(req.query.user, req.query.title).length); // source: query
});
