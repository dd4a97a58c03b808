const { execSync } = require('child_process');

function fail(what) {
  throw new Error(`bad ${what}`);
}

const name = process.argv[2]; // source: argv
try {
  if (!/^[a-z]+$/.test(name)) fail('name');
} catch (error) {
  console.error(error.message);
}
execSync(`ls ${name}`); // sink: command-injection argv
