const app = require('express')();
const { Client } = require('pg');
const client = new Client();

app.get('/', async (req, res) => {
  const order = req.query.order;
  if (!['name', 'age'].includes(order)) return res.sendStatus(400);
  await client.query('SELECT * FROM users ORDER BY ' + order); // ok: sql-injection
  res.end();
});
