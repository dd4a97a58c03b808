const app = require('express')();
const git = require('./git');

app.get('/log/:branch', async (req, res) => {
  const text = await git.log(req.params.branch, { limit: 10 }); // source: branch
  res.json({ text });
});
