const { exec } = require('child_process');
const { body, validationResult } = require('express-validator');
const app = require('express')();

function run(command) {
  exec(command); // sink: command-injection input
}

app.post('/', body('lines').isInt(), body('name').isString(), (req, res) => {
  if (!validationResult(req).isEmpty()) return res.sendStatus(400);
  run('head ' + req.body.name); // source: input
  res.end();
});
