const { exec } = require('child_process');
const mysql = require('mysql');

const text = mysql.escape(process.argv[2]); // source: argv
exec('echo ' + text); // sink: command-injection argv
