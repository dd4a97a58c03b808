const app = require('express')();
const db = require('mysql').createConnection({});

app.get('/user', (req, res) => {
  const id = parseInt(req.query.id, 10);
  db.query('SELECT * FROM users WHERE id = ' + id, () => res.end()); // ok: sql-injection
});
