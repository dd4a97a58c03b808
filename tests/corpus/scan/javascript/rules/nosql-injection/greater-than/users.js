const User = require('mongoose').model('User');
exports.older = (age) => User.findOne({ age: { $gt: age } }); // sink: nosql-injection body
