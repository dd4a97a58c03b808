const app = require('express')();

app.get('/login', (req, res) => {
  const next = req.query.next;
  if (next.startsWith('/') && !next.startsWith('//')) {
    res.redirect(next); // ok: open-redirect
  } else {
    res.redirect('/');
  }
});
