const Handlebars = require('handlebars');
const app = require('express')();

const layout = (body) => '<html>' + body + '</html>';
app.get('/', (req, res) => {
  const page = Handlebars.compile('<p>' + req.app.title + '{{name}}</p>');
  res.send(layout(page({ name: req.query.name }))); // ok: xss
});
