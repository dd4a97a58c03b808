const axios = require('axios');
const express = require('express');

const connect = (token) => axios.create({ baseURL: 'https://api.example.com', headers: { token } });

express().get('/', async (req, res) => {
  const client = connect(req.query.token);
  const page = await client.get('/status'); // ok: ssrf
  res.json({ size: page.data.length });
});
