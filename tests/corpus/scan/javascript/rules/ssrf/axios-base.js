const axios = require('axios');
const express = require('express');

const connect = (base) => axios.create({ baseURL: base, timeout: 1000 });

express().get('/', async (req, res) => {
  const client = connect(req.query.host); // source: query
  const page = await client.get('/status'); // sink: ssrf query
  res.json({ size: page.data.length });
});
