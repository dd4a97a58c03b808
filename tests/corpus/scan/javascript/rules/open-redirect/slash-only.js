const app = require('express')();

app.get('/login', (req, res) => {
  const next = req.query.next; // source: next
  if (next.startsWith('/')) res.redirect(next); // sink: open-redirect next
});
