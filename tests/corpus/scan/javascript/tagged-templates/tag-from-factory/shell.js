const { execSync } = require('child_process');

exports.shell = (options) => (strings, ...values) => {
  const line = strings.map((part, index) => part + (values[index] ?? '')).join('');
  return execSync(line, options); // sink: command-injection argv
};
