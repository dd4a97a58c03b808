const app = require('express')();

app.use((req, res, next) => {
  res.locals.name = req.query.name; // source: name
  next();
});

app.get('/', (req, res) => {
  res.send('<b>' + res.locals.name + '</b>'); // sink: xss name
});
