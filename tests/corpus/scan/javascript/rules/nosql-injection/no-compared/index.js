const { byName } = require('./users');

require('express')().post('/login', async (req, res) => res.json(await byName(req.body.name)));
