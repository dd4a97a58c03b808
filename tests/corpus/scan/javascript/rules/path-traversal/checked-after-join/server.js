const app = require('express')();
const { open } = require('./files');

app.get('/file', (req, res) => open('/srv/files', req.query.name).pipe(res)); // source: query
