const app = require('express')();
const users = require('./users');

app.post('/all', async (req, res) => {
  res.json(await users.active(req.body.title));
});
