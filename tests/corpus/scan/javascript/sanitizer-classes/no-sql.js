const app = require('express')();
const mysql = require('mysql');
const db = mysql.createConnection({});

app.get('/', (req, res) => {
  db.query('SELECT * FROM t WHERE name = ' + mysql.escape(req.query.name)); // ok: sql-injection
  res.json({});
});
