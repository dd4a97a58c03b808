const app = require('express')();

app.get('/', (req, res) => {
  const name = req.query.name;
  if (name.includes('<')) return res.sendStatus(400);
  res.send('<b>' + name + '</b>'); // ok: xss
});
