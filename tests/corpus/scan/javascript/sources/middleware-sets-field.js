const app = require('express')();
const { exec } = require('child_process');

function readTarget(req, res, next) {
  const target = req.query.target; // source: query
  res.locals.target = target;
  exec('ls ' + res.locals.target); // sink: command-injection query
  next();
}

app.use(readTarget);
