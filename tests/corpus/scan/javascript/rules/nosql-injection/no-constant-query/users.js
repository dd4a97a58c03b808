const { MongoClient } = require('mongodb');
const users = new MongoClient('mongodb://localhost').db('app').collection('users');

exports.active = async (title) => {
  const list = await users.find({ active: true }).toArray(); // ok: nosql-injection
  return { title, list };
};
