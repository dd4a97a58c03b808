const { execSync } = require('child_process');

let fail = function (what) {
  throw new Error(`bad ${what}`);
};
if (process.env.QUIET) fail = () => {};

const name = process.argv[2]; // source: argv
if (!/^[a-z]+$/.test(name)) fail('name');
execSync(`ls ${name}`); // sink: command-injection argv
