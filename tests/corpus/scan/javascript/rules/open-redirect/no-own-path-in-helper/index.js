const app = require('express')();
const { safePath } = require('./path');

app.post('/login', (req, res) => {
  res.redirect(safePath(req.body.next)); // ok: open-redirect
});
