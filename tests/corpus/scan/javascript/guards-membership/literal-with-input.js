// A list with an untrusted entry allows what the entry is.
const app = require('express')();
const { exec } = require('child_process');

app.get('/', (req, res) => {
  const command = req.query.command; // source: query
  if ([req.query.other, 'ls'].includes(command)) {
    exec(command); // sink: command-injection query
  }
  res.end();
});
