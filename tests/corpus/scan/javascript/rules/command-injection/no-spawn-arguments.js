const { spawn } = require('child_process');
const app = require('express')();

app.get('/', (req, res) => {
  spawn('ping', ['-c', '1', '--', req.query.host]); // ok: command-injection
  res.end();
});
