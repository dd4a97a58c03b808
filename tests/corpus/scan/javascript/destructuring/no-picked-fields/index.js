const app = require('express')();
const { toJob } = require('./job');
const { start } = require('./queue');

app.post('/jobs', (req, res) => {
  const job = toJob(req.body);
  start(job);
  res.json({ name: job.name });
});
