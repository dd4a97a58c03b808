const app = require('express')();
const xpath = require('xpath');

app.get('/', (req, res) => {
  const expression = xpath.parse('//user[@name=$name]'); // ok: xpath-injection
  res.json(expression.select({ variables: { name: req.query.name } }).length);
});
