const app = require('express')();
const { filterOf } = require('./filter');
const Product = require('./product');

app.get('/products', async (req, res) => {
  const list = await Product.find(filterOf(req.query)); // source: query // sink: nosql-injection query
  res.json(list);
});
