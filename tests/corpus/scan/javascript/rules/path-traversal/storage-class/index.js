const app = require('express')();
const { Storage } = require('./storage');

const storage = new Storage('/srv/files');

app.get('/files/:name', async (req, res) => {
  const data = await storage.read(req.params.name); // source: name
  res.json({ size: data.length });
});
