const app = require('express')();
const { reportOf } = require('./reports');

app.get('/reports/:number', async (req, res) => {
  res.json({ text: await reportOf(req.params.number) });
});
