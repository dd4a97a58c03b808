const { execSync } = require('child_process');

function extend(target, source) {
  Object.assign(target, source);
}

const options = { tool: 'git' };
extend(options, { branch: process.argv[2] }); // source: argv
execSync('git checkout ' + options.branch); // sink: command-injection argv
execSync(options.tool); // ok: command-injection
