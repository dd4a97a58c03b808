const app = require('express')();

app.get('/', (req, res) => {
  res.send('<b>' + req.query.name + '</b>'); // source: query // sink: xss query
});
