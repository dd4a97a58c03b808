module.exports = function (app) {
  app.get('/login', function (req, res) {
    var next = req.query.next || '/';
    if (next.charAt(0) !== '/' || next.charAt(1) === '/') next = '/';
    res.redirect(next);
  });
};
