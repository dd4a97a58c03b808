const app = require('express')();
const { exec } = require('child_process');

app.get('/ping', (req, res) => {
  exec('ping -c 1 ' + req.query.host, () => res.end()); // source: query // sink: command-injection query
});
