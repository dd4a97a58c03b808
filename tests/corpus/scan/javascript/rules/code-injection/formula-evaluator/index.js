const app = require('express')();
const { Evaluator } = require('./evaluator');

const evaluator = new Evaluator();

app.get('/cell', (req, res) => {
  evaluator.define('total', req.query.formula); // source: formula
  res.json({ value: evaluator.value('total', { x: 1 }) });
});
