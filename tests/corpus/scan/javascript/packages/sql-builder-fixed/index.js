const mysql = require('mysql');
const pool = mysql.createPool({ host: 'localhost' });
const express = require('express');
const app = express();

function findUsers(filter, cb) {
  let sql = 'SELECT * FROM users WHERE 1=1';
  const params = [];
  if (filter.name) {
    sql += ' AND name = ?';
    params.push(filter.name);
  }
  if (filter.age) sql += ' AND age = ' + mysql.escape(filter.age);
  pool.query(sql, params, cb);
}

app.get('/users', (req, res) => {
  findUsers(req.query, (err, rows) => res.json(rows));
});
