const { MongoClient } = require('mongodb');
const users = new MongoClient('mongodb://localhost').db('app').collection('users');

exports.search = (filter) => users.find(filter).toArray(); // sink: nosql-injection body
