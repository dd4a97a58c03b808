const { exec } = require('child_process');

exports.show = (req, res) => {
  res.locals.command = 'ls';
  exec(res.locals.command); // ok: command-injection
  res.end();
};
