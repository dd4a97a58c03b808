const app = require('express')();

app.get('/', (req, res) => {
  console.log('user ' + req.query.name.replace(/[\r\n]/g, '')); // ok: log-injection
  res.end();
});
