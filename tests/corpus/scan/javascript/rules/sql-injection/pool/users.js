const { Pool } = require('pg');
const pool = new Pool();

exports.find = async (name, order) => {
  const text = 'SELECT * FROM users WHERE name = $1 ORDER BY ' + order;
  const result = await pool.query(text, [name]); // sink: sql-injection body
  return result.rows;
};
