require('express')().get('/', (req, res) => {
  const next = req.query.next;
  if (!/^\/[a-z0-9]/.test(next)) return res.redirect('/');
  return res.redirect(next); // ok: open-redirect
});
