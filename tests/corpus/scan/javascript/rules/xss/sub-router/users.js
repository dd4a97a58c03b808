const { Router } = require('express');
const router = Router();

router.route('/:name').get(function (request, response) {
  response.send('<b>' + request.params.name + '</b>'); // source: name // sink: xss name
});

module.exports = router;
