exports.redirect = (res, target, status = 302) => {
  res.statusCode = status;
  res.setHeader('Location', target); // sink: open-redirect url
  res.end();
};
