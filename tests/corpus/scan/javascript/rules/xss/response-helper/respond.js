exports.html = (res, markup) => {
  res.set('Content-Type', 'text/html; charset=utf-8');
  res.status(200).send(markup); // sink: xss name
};

exports.json = (res, value) => {
  res.status(200).json(value);
};
