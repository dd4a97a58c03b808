const app = require('express')();
app.use('/tasks', require('./tasks'));
