const app = require('express')();
const { MongoClient } = require('mongodb');
const users = new MongoClient('mongodb://localhost').db('app').collection('users');

app.post('/login', async (req, res) => {
  res.json(await users.findOne({ name: String(req.body.name) })); // ok: nosql-injection
});
