const app = require('express')();

app.get('/', (req, res) => {
  const name = req.query.name; // source: name
  res.write('<b>' + name.replace(new RegExp('<', 'g'), '') + '</b>'); // ok: xss
  res.end('<b>' + name.replace(new RegExp('x', 'g'), '') + '</b>'); // sink: xss name
});
