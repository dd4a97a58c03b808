const app = require('express')();
const { show } = require('./handlers');

app.get('/show/:name', show);
