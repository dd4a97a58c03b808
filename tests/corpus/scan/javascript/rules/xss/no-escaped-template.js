const handlebars = require('handlebars');
const mustache = require('mustache');
const app = require('express')();

const page = handlebars.compile('<b>{{name}}</b>');
app.get('/', (req, res) => {
  res.send(page({ name: req.query.name })); // ok: xss // ok: code-injection
});
app.get('/other', (req, res) => {
  res.send(mustache.render('<b>{{name}}</b>', { name: req.query.name })); // ok: xss // ok: code-injection
});
