const app = require('express')();

app.get('/', (req, res) => {
  console.log('user ' + req.query.name); // source: query // sink: log-injection query
  res.end();
});
