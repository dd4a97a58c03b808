const app = require('express')();
const { matcher } = require('./matcher');

app.get('/', (req, res) => {
  res.json(['a'].filter(matcher(req.query.like))); // source: query
});
