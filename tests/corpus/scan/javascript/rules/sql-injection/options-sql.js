const mysql = require('mysql2').createPool({});

require('express')().get('/', (req, res) => {
  mysql.query({ sql: 'SELECT * FROM t WHERE a = ' + req.query.a }, () => {}); // source: a // sink: sql-injection a
});
