const app = require('express')();
const { answer } = require('./answer');

app.get('/echo', (req, res) => {
  answer(res, 200, { text: req.query.text });
});
