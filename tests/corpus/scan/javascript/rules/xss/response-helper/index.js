const app = require('express')();
const { html } = require('./respond');

app.get('/hello', (req, res) => {
  html(res, '<p>Hello ' + req.query.name + '</p>'); // source: name
});
