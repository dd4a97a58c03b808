const app = require('express')();
const { html } = require('./html');

app.get('/hello', (req, res) => {
  res.send(html`<h1>Hello ${req.query.name}</h1>`); // ok: xss
});
