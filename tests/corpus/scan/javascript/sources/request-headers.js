const app = require('express')();
const { exec } = require('child_process');

app.use((req, res, next) => {
  exec('logger ' + req.headers['user-agent']); // source: headers // sink: command-injection headers
  next();
});
