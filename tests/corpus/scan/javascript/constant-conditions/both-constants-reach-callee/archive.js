const { execSync } = require('child_process');

// The flag is constant in each call, but not in the function.
exports.archive = (folder, quiet) => {
  const line = quiet ? 'tar cf out.tar ' + folder : 'tar cvf out.tar ' + folder;
  if (quiet) return execSync('true');
  return execSync(line); // sink: command-injection argv
};
