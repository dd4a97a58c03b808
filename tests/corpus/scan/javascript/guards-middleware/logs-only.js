const { exec } = require('child_process');
const app = require('express')();

const validate = (req, res, next) => {
  if (!/^\w+$/.test(req.query.name)) console.log('unusual');
  next();
};
app.get('/', validate, (req, res) => {
  exec('svc ' + req.query.name); // source: input // sink: command-injection input
  res.end();
});
