const app = require('express')();

app.post('/login', (req, res) => {
  const { name } = req.body; // source: body
  console.error(`login of ${name} failed`); // sink: log-injection body
  res.sendStatus(401);
});
