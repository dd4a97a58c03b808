const { exec } = require('child_process');

module.exports = function archive(folder, done) {
  const command = 'tar czf out.tgz ' + folder;
  exec(command, done);
};
