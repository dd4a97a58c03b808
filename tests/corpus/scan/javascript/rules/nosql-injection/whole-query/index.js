const app = require('express')();
const users = require('./users');

app.post('/search', async (req, res) => {
  res.json(await users.search(req.body)); // source: body
});
