const app = require('express')();
const axios = require('axios');

app.get('/proxy', async (req, res) => {
  const { data } = await axios.get(req.query.url); // source: query // sink: ssrf query
  res.json(data);
});
