const { older } = require('./users');

require('express')().post('/', async (req, res) => res.json(await older(req.body.age))); // source: body
