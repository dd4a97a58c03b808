const mysql = require('mysql');
const pool = mysql.createPool({ host: 'localhost' });
const express = require('express');
const app = express();

function findUsers(filter, cb) {
  let sql = 'SELECT * FROM users WHERE 1=1';
  if (filter.name) sql += " AND name = '" + filter.name + "'";
  if (filter.age) sql += ' AND age = ' + filter.age;
  pool.query(sql, cb); // sink: sql-injection a
}

app.get('/users', (req, res) => {
  findUsers(req.query, (err, rows) => res.json(rows)); // source: a
});
