const app = require('express')();
const sqlite3 = require('sqlite3');
const db = new sqlite3.Database('data.db');

app.get('/', (req, res) => {
  db.all("SELECT * FROM t WHERE a = '" + req.query.a + "'", () => {}); // source: query // sink: sql-injection query
  res.end();
});
