const mysql = require('mysql2').createPool({});

require('express')().get('/', (req, res) => {
  mysql.execute('SELECT * FROM t WHERE a = ? AND b = ?', [req.query.a, req.query.b], () => {}); // ok: sql-injection
  mysql.query({ sql: 'SELECT * FROM t WHERE a = ?', values: [req.query.a] }, () => {}); // ok: sql-injection
});
