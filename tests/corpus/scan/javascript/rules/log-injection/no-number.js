const app = require('express')();

app.get('/', (req, res) => {
  console.log('id', Number(req.query.id)); // ok: log-injection
  res.end();
});
