const app = require('express')();
const { View } = require('./view');

app.get('/users/:name', (req, res) => {
  res.send(new View().set('name', req.params.name).render()); // ok: xss
});
