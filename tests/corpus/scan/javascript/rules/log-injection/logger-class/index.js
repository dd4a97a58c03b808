const app = require('express')();
const Logger = require('./logger');

const log = new Logger('http');

app.use((req, res, next) => {
  log.info(req.method, req.headers['user-agent']); // source: agent
  next();
});
