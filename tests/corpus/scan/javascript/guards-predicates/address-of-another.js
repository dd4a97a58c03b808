const validator = require('validator');
const { exec } = require('child_process');
const app = require('express')();

function ping(address) {
  exec('ping -c 1 ' + address); // sink: command-injection name
}

app.get('/', (req, res) => {
  const { address, name } = req.query; // source: name
  if (!validator.isIP(address)) return res.sendStatus(400);
  ping(name);
  res.end();
});
