const app = require('express')();
const { toModel } = require('./model');

app.get('/list', (req, res) => {
  const model = toModel(req.query);
  res.cookie('sort', String(model.sort).length);
  res.send(`<table class="${model.layout}"></table>`); // ok: xss
});
