const app = require('express')();
const { exec } = require('child_process');
const { isName, decode } = require('./names');

app.get('/log', (req, res) => {
  const { name } = req.query; // source: name
  if (!isName(name)) return res.sendStatus(400);
  // Decoding brings other characters back.
  exec('git log ' + decode(name), () => res.end()); // sink: command-injection name
});
