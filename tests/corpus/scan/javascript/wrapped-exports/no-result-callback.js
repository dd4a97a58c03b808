// scan: sources=library
const load = require('load-settings');
const { exec } = require('child_process');

exports.settings = load('settings.json', function (err, settings) {
  if (!err) exec(settings.program); // ok: command-injection
});
