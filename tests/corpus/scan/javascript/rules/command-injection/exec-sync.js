const { execSync } = require('child_process');

const branch = process.env.BRANCH; // source: env
execSync(`git checkout ${branch}`, { stdio: 'inherit' }); // sink: command-injection env
