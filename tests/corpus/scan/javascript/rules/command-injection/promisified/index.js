const run = require('./run');
const app = require('express')();

app.post('/archive', async (req, res) => {
  await run(`tar czf out.tgz ${req.body.folder}`); // source: body
  res.end();
});
