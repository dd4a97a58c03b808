const app = require('express')();
const users = require('./users');

app.post('/find', async (req, res) => {
  res.json(await users.find(req.body.name));
});
