const knex = require('knex')({});

require('express')().get('/', (req, res) => {
  knex.raw('SELECT * FROM t WHERE a = ?', [req.query.a]).then(() => {}); // ok: sql-injection
  knex('t').where({ a: req.query.a }).then(() => {}); // ok: sql-injection
});
