const app = require('express')();
const sanitizers = require('./sanitizers');
const { exec } = require('child_process');

app.get('/', (req, res) => {
  const { name } = req.query; // source: name
  res.send(`<p>${sanitizers.html(name)}</p>`); // ok: xss
  exec('finger ' + sanitizers.html(name)); // sink: command-injection name
});
