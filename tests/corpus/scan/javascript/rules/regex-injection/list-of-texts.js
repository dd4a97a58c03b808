require('express')().get('/', (req, res) => {
  res.json(['a', 'b'].filter((word) => word.match(req.query.q))); // source: query // sink: regex-injection query
});
