const User = require('mongoose').model('User');

require('express')().get('/', async (req, res) => {
  res.json(await User.find({ $where: `this.name === '${req.query.name}'` })); // source: query // sink: nosql-injection query
});
