const { readSettings } = require('./settings');
const { exec } = require('child_process');

readSettings('settings.json', (error, settings) => {
  if (error) throw error;
  exec(`${settings.tool} --version`); // sink: command-injection file
});
