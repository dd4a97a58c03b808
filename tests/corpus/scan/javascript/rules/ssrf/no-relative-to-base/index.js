const app = require('express')();
const { repository } = require('./client');

app.get('/repository', async (req, res) => {
  res.json((await repository(req.query.name)).data);
});
