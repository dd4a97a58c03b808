const { exec } = require('child_process');
const app = require('express')();

const validate = (req, res, next) => {
  if (!/^\w+$/.test(req.query.name)) return res.sendStatus(400);
  next();
};
app.get('/', validate, (req, res) => {
  exec('svc ' + req.query.name); // ok: command-injection
  res.end();
});
