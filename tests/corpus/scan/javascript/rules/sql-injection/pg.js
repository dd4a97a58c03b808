const app = require('express')();
const { Client } = require('pg');
const client = new Client();

app.get('/user', async (req, res) => {
  const id = req.query.id; // source: query
  const { rows } = await client.query(`SELECT * FROM users WHERE id = '${id}'`); // sink: sql-injection query
  res.json(rows);
});
