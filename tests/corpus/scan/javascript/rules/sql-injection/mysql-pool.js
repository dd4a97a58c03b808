const mysql = require('mysql');
const pool = mysql.createPool({});

const table = process.argv[2]; // source: argv
pool.query('DELETE FROM ' + table, () => {}); // sink: sql-injection argv
