const express = require('express');
const { exec } = require('child_process');
const { toBranch } = require('./branch');

const app = express();
app.use(express.json());

app.post('/checkout', (req, res) => {
  let branch = req.body.branch;
  branch = toBranch(branch);
  exec(`git checkout ${branch}`, () => res.end()); // ok: command-injection
});
