const User = require('mongoose').model('User');

require('express')().post('/', async (req, res) => {
  res.json(await User.findOne({ id: `${req.body.id}`, name: 'user ' + req.body.name })); // ok: nosql-injection
});
