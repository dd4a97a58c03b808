const express = require('express');
const app = express();

app.get('/login', (req, res) => {
  req.session.target = req.query.next; // source: next
  res.end();
});

function target(req) {
  return req.session.target || '/';
}

app.post('/login', (req, res) => res.redirect(target(req))); // sink: open-redirect next
