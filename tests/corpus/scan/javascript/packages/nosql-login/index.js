const express = require('express');
const { MongoClient } = require('mongodb');
const app = express();
app.use(express.json());
const client = new MongoClient('mongodb://localhost');

app.post('/login', async (req, res) => {
  const users = client.db('app').collection('users');
  const user = await users.findOne({ name: req.body.name, password: req.body.password }); // sink: nosql-injection
  res.json({ ok: Boolean(user) });
});
