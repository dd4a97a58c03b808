const app = require('express')();
const db = require('pg');
const { escapeText } = require('./escape');

const pool = new db.Pool();

app.get('/', async (req, res) => {
  const name = escapeText(req.query.name); // source: name
  const { rows } = await pool.query(`SELECT * FROM users WHERE name = '${name}'`); // sink: sql-injection name
  res.send(`<p>${name}: ${rows.length}</p>`); // ok: xss
});
