const { execSync } = require('child_process');

const usage = () => {
  console.error('usage: run NAME');
  process.exit(2);
};

const name = process.argv[2];
if (!/^[a-z]+$/.test(name)) {
  usage();
}
execSync(`ls ${name}`); // ok: command-injection
