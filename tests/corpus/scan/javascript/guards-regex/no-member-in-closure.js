const { exec } = require('child_process');
const app = require('express')();

function later(run) {
  setTimeout(run, 10);
}

app.get('/', (req, res) => {
  if (!/^[a-z]+$/.test(req.query.name)) return res.sendStatus(400);
  later(() => exec('id ' + req.query.name)); // ok: command-injection
  res.end();
});

app.post('/', (req, res) => {
  const { body } = req;
  if (!/^[a-z]+$/.test(body.user)) return res.sendStatus(400);
  later(function () {
    later(() => exec('id ' + body.user)); // ok: command-injection
  });
  res.end();
});
