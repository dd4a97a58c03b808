// scan: sources=library
const { exec } = require('child_process');

function sanitize(text) {
  if (typeof text !== 'string') return '';
  return text.replace(/[;|&$`\n(){}<>'"\\]/g, '').trim();
}
module.exports = function run(service, done) {
  const name = sanitize(service);
  exec('systemctl status ' + name, done); // ok: command-injection
};
