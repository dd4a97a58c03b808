const app = require('express')();
const { greetingFor } = require('./greeting');

app.get('/greet', async (req, res, next) => {
  try {
    const greeting = await greetingFor(req.query.name); // source: name
    res.write('<!doctype html>');
    res.end(greeting.html); // sink: xss name
  } catch (error) {
    next(error);
  }
});
