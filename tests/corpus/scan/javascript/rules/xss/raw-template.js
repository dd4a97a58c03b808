const handlebars = require('handlebars');
const mustache = require('mustache');
const app = require('express')();

const page = handlebars.compile('<b>{{{name}}}</b>');
app.get('/', (req, res) => {
  res.send(page({ name: req.query.name })); // source: first // sink: xss first
});
app.get('/other', (req, res) => {
  res.send(mustache.render('<b>{{&name}}</b>', { name: req.query.name })); // source: second // sink: xss second
});
app.get('/third', (req, res) => {
  res.send(handlebars.compile(req.query.template)({})); // source: third // sink: code-injection third
});
