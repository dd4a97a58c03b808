const app = require('express')();

app.use('/users', require('./users'));
app.listen(80);
