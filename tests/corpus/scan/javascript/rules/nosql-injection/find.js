const app = require('express')();
const { MongoClient } = require('mongodb');
const client = new MongoClient('mongodb://localhost');

app.post('/login', async (req, res) => {
  const users = client.db('app').collection('users');
  const list = await users.find({ name: req.body.name }).toArray(); // source: body // sink: nosql-injection body
  res.json(list);
});
