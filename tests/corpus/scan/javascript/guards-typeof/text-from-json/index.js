const app = require('express')();
const { assertText } = require('./assert');
const { exec } = require('child_process');

app.post('/convert', (req, res) => {
  const { file } = req.body; // source: body
  assertText(file);
  exec('pandoc ' + file, () => res.end()); // sink: command-injection body
});
