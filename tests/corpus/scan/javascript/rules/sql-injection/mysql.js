const app = require('express')();
const db = require('mysql').createConnection({ host: 'localhost' });

app.get('/user', (req, res) => {
  db.query("SELECT * FROM users WHERE name = '" + req.query.name + "'", () => res.end()); // source: query // sink: sql-injection query
});
