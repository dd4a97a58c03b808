const express = require('express');
const axios = require('axios');
const app = express();

app.get('/proxy', async (req, res) => {
  const target = req.query.url; // source: a
  const response = await axios.get(target, { responseType: 'arraybuffer' }); // sink: ssrf a
  res.json({ size: response.data.length });
});
