const app = require('express')();

app.get('/', (req, res) => {
  res.redirect('/login?next=' + encodeURIComponent(req.query.next)); // ok: open-redirect
});
