const { isOwn } = require('./own');

require('express')().get('/', (req, res) => {
  const next = req.query.next;
  if (isOwn(next)) return res.redirect(next); // ok: open-redirect
  return res.redirect('/');
});
