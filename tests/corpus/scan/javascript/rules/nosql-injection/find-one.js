const app = require('express')();
const { MongoClient } = require('mongodb');

app.post('/login', async (req, res) => {
  const client = await MongoClient.connect('mongodb://localhost');
  const query = { name: 'x', password: req.body.password }; // source: body
  const user = await client.db().collection('users').findOne(query); // sink: nosql-injection body
  res.json(user);
});
