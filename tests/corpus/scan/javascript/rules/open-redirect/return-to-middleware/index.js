const app = require('express')();
const { requireLogin, backTo } = require('./login');

app.get('/private', requireLogin, (req, res) => res.json({}));
app.post('/login', (req, res) => backTo(res, req.query)); // source: query
