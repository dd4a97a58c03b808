const express = require('express');
const comments = require('./comments');

const app = express();
app.use(express.urlencoded({ extended: false }));

app.post('/comments', (req, res) => {
  comments.add({ author: req.body.author, text: req.body.text }); // source: body
  res.sendStatus(201);
});

app.get('/comments', (req, res) => {
  res.send(comments.render()); // sink: xss body
});
