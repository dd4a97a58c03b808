const { Pool } = require('pg');
const pool = new Pool();

exports.find = async (name) => {
  const result = await pool.query({ text: 'SELECT * FROM users WHERE name = $1', values: [name] }); // ok: sql-injection
  return result.rows;
};
