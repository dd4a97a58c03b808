const app = require('express')();
const { View } = require('./view');

app.get('/users/:name', (req, res) => {
  const view = new View('profile').with('name', req.params.name); // source: name
  res.send(view.render()); // sink: xss name
});
