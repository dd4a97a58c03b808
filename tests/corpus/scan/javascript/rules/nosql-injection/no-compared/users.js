const User = require('mongoose').model('User');
exports.byName = (name) => User.findOne({ name: { $eq: name } }); // ok: nosql-injection
