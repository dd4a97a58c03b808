const { exec } = require('child_process');
const app = require('express')();

function later(run) {
  setTimeout(run, 10);
}

app.get('/', (req, res) => {
  const options = { name: res.locals.user };
  if (!/^[a-z]+$/.test(options.name)) return res.sendStatus(400);
  later(() => exec('id ' + options.name)); // sink: command-injection group
  options.name = req.query.group; // source: group
  res.end();
});
