const { count } = require('./count');
const { exec } = require('child_process');

exec(`head -n ${count(process.argv)} notes.txt`); // ok: command-injection
