const app = require('express')();
const axios = require('axios');

app.post('/', async (req, res) => {
  await axios.post('https://api.example.com/items', { name: req.body.name }); // ok: ssrf
  res.end();
});
