const app = require('express')();

app.get('/', (req, res) => {
  res.send('<b>' + req.query.name.replace(/&/g, '&amp;').replace(/</g, '&lt;') + '</b>'); // ok: xss
});
