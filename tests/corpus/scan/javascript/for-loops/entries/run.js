const { exec } = require('child_process');

module.exports = (table) => {
  for (const [name, command] of Object.entries(table)) {
    exec(command, { env: { NAME: name } }); // sink: command-injection argv
  }
};
