const { exec } = require('child_process');
const { body, query, validationResult } = require('express-validator');
const app = require('express')();

app.post('/', body('lines').isInt({ min: 1 }), (req, res) => {
  if (!validationResult(req).isEmpty()) return res.sendStatus(400);
  exec('head -n ' + req.body.lines); // ok: command-injection
  res.end();
});
app.get('/', [query('name').trim().escape()], (req, res) => {
  res.send('<p>' + req.query.name + '</p>'); // ok: xss
});
