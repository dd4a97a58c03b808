const app = require('express')();
const git = require('./git');

app.get('/show', async (req, res) => {
  res.json({ text: await git.show(req.query.path) });
});
