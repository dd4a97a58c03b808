const sql = require('sql-template-strings');
const { Pool } = require('pg');
const pool = new Pool();

require('express')().get('/', (req, res) => {
  pool.query(sql`SELECT * FROM t WHERE a = ${req.query.a}`); // ok: sql-injection
});
