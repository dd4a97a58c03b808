module.exports = function (app) {
  app.get('/login', function (req, res) {
    var next = req.query.next || '/'; // source: a
    res.redirect(next); // sink: open-redirect a
  });
};
