const app = require('express')();
const { asText } = require('./text');
const { MongoClient } = require('mongodb');

const users = new MongoClient('mongodb://localhost').db('app').collection('users');

app.post('/login', async (req, res) => {
  const name = asText(req.body.name);
  const password = asText(req.body.password);
  res.json(await users.findOne({ name, password })); // ok: nosql-injection
});
