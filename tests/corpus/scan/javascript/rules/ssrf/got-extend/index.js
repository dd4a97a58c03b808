const { client } = require('./client');
const express = require('express');

express().get('/', async (req, res) => {
  const page = await client(req.query.host).get('status'); // source: query // sink: ssrf query
  res.json({ size: page.body.length });
});
