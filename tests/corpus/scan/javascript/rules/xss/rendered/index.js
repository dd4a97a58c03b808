const app = require('express')();
const { page } = require('./page');

app.get('/:title', (req, res) => {
  const html = page({ title: req.params.title, body: 'hello' }); // source: params
  res.status(200).send(html); // sink: xss params
});
