const app = require('express')();

app.get('/', (req, res) => {
  res.redirect('https://example.com/docs/' + req.query.page); // ok: open-redirect
});
