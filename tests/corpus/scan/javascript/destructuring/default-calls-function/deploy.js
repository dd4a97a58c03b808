const { execSync } = require('child_process');

const hostFromEnvironment = () => process.env.DEPLOY_HOST; // source: env

exports.deploy = ({ host = hostFromEnvironment(), dryRun = true } = {}) => {
  if (dryRun) return;
  execSync('rsync -a dist/ ' + host + ':/srv'); // sink: command-injection env
};
