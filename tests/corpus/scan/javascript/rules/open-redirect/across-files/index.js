const app = require('express')();
const { goTo } = require('./go');

app.post('/', (req, res) => {
  goTo(res, req.body.target); // source: body
});
