const app = require('express')();
const axios = require('axios');

app.get('/item', async (req, res) => {
  const { data } = await axios.get('https://api.example.com/items/' + encodeURIComponent(req.query.id)); // ok: ssrf
  res.json(data);
});
