const app = require('express')();
const { leave } = require('./leave');

app.get('/out', (req, res) => leave(res, req.query.to)); // source: query
