exports.requireLogin = (req, res, next) => {
  if (req.session && req.session.user) return next();
  res.redirect('/login?returnTo=' + encodeURIComponent(req.originalUrl)); // ok: open-redirect
};

exports.backTo = (res, { returnTo = '/' }) => {
  res.redirect(303, returnTo); // sink: open-redirect query
};
