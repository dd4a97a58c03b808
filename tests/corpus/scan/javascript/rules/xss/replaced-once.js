const app = require('express')();

app.get('/', (req, res) => {
  const name = req.query.name.replace('<', '&lt;'); // source: name
  res.send('<b>' + name + '</b>'); // sink: xss name
});
