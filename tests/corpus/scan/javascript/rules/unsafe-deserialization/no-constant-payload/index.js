const app = require('express')();
const { sample } = require('./sample');

app.post('/sample', (req, res) => {
  res.json(sample(req.body.count));
});
