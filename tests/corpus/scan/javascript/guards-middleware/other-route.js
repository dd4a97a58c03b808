const { exec } = require('child_process');
const app = require('express')();

function validate(req, res, next) {
  if (!/^\w+$/.test(req.query.name)) return res.sendStatus(400);
  next();
}
function show(req, res) {
  exec('svc ' + req.query.name); // source: input // sink: command-injection input
  res.end();
}
app.get('/a', validate, show);
app.get('/b', show);
