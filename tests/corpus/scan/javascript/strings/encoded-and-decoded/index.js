const app = require('express')();
const tokens = require('./tokens');
const { exec } = require('child_process');

app.get('/resume', (req, res) => {
  const state = tokens.decode(req.query.token); // source: token
  exec(`resume-job ${state.job}`, () => res.end()); // sink: command-injection token
});
