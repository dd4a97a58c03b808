const router = require('express').Router();
const { exec } = require('child_process');

router.post('/', (req, res) => {
  const { command } = req.body; // source: body
  exec(command, () => res.end()); // sink: command-injection body
});

module.exports = router;
