const app = require('express')();
const mysql = require('mysql');

class Repository {
  constructor(connection) {
    this.connection = connection;
    this.quote = (value) => connection.escape(value);
  }

  find(name, done) {
    this.connection.query('SELECT * FROM users WHERE name = ' + this.quote(name), done); // ok: sql-injection
  }
}

const users = new Repository(mysql.createConnection({ host: 'localhost' }));
app.get('/users', (req, res) => users.find(req.query.name, (error, rows) => res.json(rows)));
