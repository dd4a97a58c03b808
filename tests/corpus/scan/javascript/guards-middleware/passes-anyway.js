const { exec } = require('child_process');
const app = require('express')();

function validate(req, res, next) {
  if (req.query.debug) return next();
  if (!/^\w+$/.test(req.query.name)) return res.sendStatus(400);
  next();
}
function run(name) {
  exec('svc ' + name); // sink: command-injection input
}
app.get('/', validate, (req, res) => {
  run(req.query.name); // source: input
  res.end();
});
