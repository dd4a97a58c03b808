const validator = require('validator');
const { exec } = require('child_process');
const app = require('express')();

function ping(address) {
  exec('ping -c 1 ' + address); // ok: command-injection
}

app.get('/', (req, res) => {
  const { address } = req.query;
  if (!validator.isIP(address)) return res.sendStatus(400);
  ping(address);
  res.end();
});
