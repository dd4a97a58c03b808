const app = require('express')();
const { MongoClient } = require('mongodb');
const users = new MongoClient('mongodb://localhost').db('app').collection('users');

app.post('/login', async (req, res) => {
  const name = req.body.name;
  if (typeof name !== 'string') return res.sendStatus(400);
  res.json(await users.findOne({ name })); // ok: nosql-injection
});
