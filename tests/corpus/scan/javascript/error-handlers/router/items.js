const router = require('express').Router();

router.get('/:id', async (req, res, next) => {
  try {
    JSON.parse('{');
  } catch (e) {
    next(new Error('bad item ' + req.params.id)); // source: id
  }
});

module.exports = router;
