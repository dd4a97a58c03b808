const app = require('express')();
const { download } = require('./download');

app.post('/import', async (req, res) => {
  res.json(await download(req.body.source)); // source: body
});
