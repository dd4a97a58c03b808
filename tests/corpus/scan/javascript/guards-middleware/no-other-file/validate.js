exports.validate = (req, res, next) => {
  const { name } = req.body;
  if (/^[a-z]+$/.test(name)) next();
  else res.status(400).end();
};
