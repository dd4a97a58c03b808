exports.install = (app, targets) => {
  for (const name of Object.keys(targets)) {
    app.get('/' + name, (req, res) => {
      res.cookie('from', String(req.query.from).length);
      res.redirect(targets[name]); // ok: open-redirect
    });
  }
};
