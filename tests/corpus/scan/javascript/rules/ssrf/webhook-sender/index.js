const express = require('express');
const { Webhooks } = require('./webhooks');

const app = express();
const webhooks = new Webhooks();
app.use(express.json());

app.post('/hooks', (req, res) => {
  webhooks.register('build', req.body.url); // source: url
  res.sendStatus(201);
});

app.post('/build', async (req, res) => {
  await webhooks.send('build', { ok: true });
  res.sendStatus(204);
});
