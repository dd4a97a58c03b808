const app = require('express')();

app.get('/calc', (req, res) => {
  const formula = req.query.formula; // source: query
  const calculate = new Function('x', 'return ' + formula); // sink: code-injection query
  res.json({ result: calculate(1) });
});
