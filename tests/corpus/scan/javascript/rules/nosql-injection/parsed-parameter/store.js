const User = require('mongoose').model('User');

exports.find = (filter) => User.find(filter); // sink: nosql-injection filter
