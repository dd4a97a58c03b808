const app = require('express')();
const http = require('http');

app.get('/proxy', (req, res) => {
  const host = req.query.host; // source: query
  http.get('http://' + host + '/status', (answer) => answer.pipe(res)); // sink: ssrf query
});
