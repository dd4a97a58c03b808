const express = require('express');
const axios = require('axios');
const app = express();
const ALLOWED = ['api.example.com', 'cdn.example.com'];

app.get('/proxy', async (req, res) => {
  const target = new URL(req.query.url);
  if (!ALLOWED.includes(target.hostname)) {
    return res.sendStatus(403);
  }
  const response = await axios.get(target.href, { responseType: 'arraybuffer' });
  res.json({ size: response.data.length });
});
