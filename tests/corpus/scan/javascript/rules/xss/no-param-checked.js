const app = require('express')();

app.param('id', (req, res, next, id) => {
  if (!/^\d+$/.test(id)) return next(new Error('no id'));
  res.write('<b>' + id + '</b>'); // ok: xss
  next();
});
