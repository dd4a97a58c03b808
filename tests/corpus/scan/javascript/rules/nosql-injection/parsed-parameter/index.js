const app = require('express')();
const { find } = require('./store');

app.get('/users/:filter', async (req, res) => {
  const filter = JSON.parse(req.params.filter); // source: filter
  res.json(await find(filter));
});
