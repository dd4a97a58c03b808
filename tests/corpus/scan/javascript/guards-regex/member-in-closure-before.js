const { exec } = require('child_process');
const app = require('express')();

function later(run) {
  setTimeout(run, 10);
}

app.get('/', (req, res) => {
  later(() => exec('id ' + req.query.name)); // source: before // sink: command-injection before
  if (!/^[a-z]+$/.test(req.query.name)) return res.sendStatus(400);
  res.end();
});

app.post('/', (req, res) => {
  if (!/^[a-z]+$/.test(req.body.name)) return res.sendStatus(400);
  later(() => exec('id ' + req.body.group)); // source: other // sink: command-injection other
  res.end();
});
