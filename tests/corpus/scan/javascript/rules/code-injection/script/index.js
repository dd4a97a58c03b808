const { evaluate } = require('./sandbox');
const app = require('express')();

app.post('/', (req, res) => {
  res.json(evaluate(req.body.code, {})); // source: body
});
