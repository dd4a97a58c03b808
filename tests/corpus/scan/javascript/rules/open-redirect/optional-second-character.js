require('express')().get('/', (req, res) => {
  const next = req.query.next; // source: query
  if (!/^\/[a-z]?/.test(next)) return res.redirect('/');
  return res.redirect(next); // sink: open-redirect query
});
