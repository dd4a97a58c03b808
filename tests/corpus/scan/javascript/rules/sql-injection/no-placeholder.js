const app = require('express')();
const db = require('mysql').createConnection({});

app.get('/user', (req, res) => {
  db.query('SELECT * FROM users WHERE name = ?', [req.query.name], () => res.end()); // ok: sql-injection
});
