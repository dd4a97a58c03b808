const { isOwn } = require('./own');

require('express')().get('/', (req, res) => {
  const next = req.query.next; // source: query
  if (!isOwn(next)) return res.redirect('/');
  return res.redirect(next); // sink: open-redirect query
});
