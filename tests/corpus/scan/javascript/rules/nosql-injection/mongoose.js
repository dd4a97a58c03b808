const app = require('express')();
const mongoose = require('mongoose');
const User = mongoose.model('User', new mongoose.Schema({ name: String }));

app.post('/user', async (req, res) => {
  const { name } = req.body; // source: body
  res.json(await User.findOne({ name })); // sink: nosql-injection body
});
