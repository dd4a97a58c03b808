const { checkSecret } = require('./secret');
const { exec } = require('child_process');

require('express')().post('/hook', (req, res) => {
  const { secret, branch } = req.body; // source: body
  // The secret is checked, not the branch.
  if (!checkSecret(secret)) return res.sendStatus(403);
  exec(`git checkout ${branch}`, () => res.sendStatus(204)); // sink: command-injection body
});
