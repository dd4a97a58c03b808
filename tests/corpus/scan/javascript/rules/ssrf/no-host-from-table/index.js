const app = require('express')();
const { hostOf } = require('./hosts');
const fetch = require('node-fetch');

app.get('/status/:service', async (req, res) => {
  const answer = await fetch(`http://${hostOf(req.params.service)}/health`); // ok: ssrf
  res.json({ ok: answer.ok });
});
