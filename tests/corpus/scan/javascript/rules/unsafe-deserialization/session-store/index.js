const app = require('express')();
const { Sessions } = require('./sessions');

const sessions = new Sessions();

app.use((req, res, next) => {
  req.session = sessions.load(req.cookies.session); // source: cookie
  next();
});
