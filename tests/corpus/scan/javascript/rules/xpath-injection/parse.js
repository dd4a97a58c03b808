const app = require('express')();
const xpath = require('xpath');

app.post('/', (req, res) => {
  const expression = xpath.parse(req.body.path); // source: body // sink: xpath-injection body
  res.json(expression.select({}).length);
});
