const User = require('mongoose').model('User');
exports.byId = (id, host) => User.findOne({ id, host }); // ok: nosql-injection
