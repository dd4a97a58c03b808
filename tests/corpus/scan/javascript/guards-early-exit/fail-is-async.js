const { execSync } = require('child_process');

async function fail(what) {
  throw new Error(`bad ${what}`);
}

const name = process.argv[2]; // source: argv
if (!/^[a-z]+$/.test(name)) fail('name').catch(() => {});
execSync(`ls ${name}`); // sink: command-injection argv
