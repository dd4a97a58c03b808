const { exec } = require('child_process');
const Ajv = require('ajv');
const app = require('express')();

function run(command) {
  exec(command); // ok: command-injection
}

const validate = new Ajv().compile({ type: 'object', properties: { lines: { type: 'integer' } } });
app.post('/', (req, res) => {
  const body = req.body;
  if (!validate(body)) return res.sendStatus(400);
  run('head -n ' + body.lines);
});
