const { byId } = require('./users');

require('express')().get('/:id', async (req, res) => {
  res.json(await byId(req.params.id, req.headers.host));
});
