const http = require('http');
const { redirect } = require('./redirect');
const { targetOf } = require('./target');

http.createServer((req, res) => redirect(res, targetOf(req))).listen(8080);
