const app = require('express')();

app.get('/login', (req, res) => {
  const next = String(req.query.next);
  if (next[0] !== '/' || next[1] === '/' || next[1] === '\\') return res.redirect('/');
  res.redirect(next); // ok: open-redirect
});
