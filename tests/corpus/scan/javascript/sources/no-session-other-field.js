const express = require('express');
const app = express();

app.get('/login', (req, res) => {
  req.session.user = req.query.user;
  req.session.target = '/home';
  res.end();
});

function target(req) {
  return req.session.target;
}

app.post('/login', (req, res) => res.redirect(target(req))); // ok: open-redirect
