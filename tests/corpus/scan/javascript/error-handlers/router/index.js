const express = require('express');
const items = require('./items');
const app = express();

app.use('/items', items);
app.use(function (error, request, response, next) {
  response.send(`<p>${error.message}</p>`); // sink: xss id
});
app.listen(8080);
