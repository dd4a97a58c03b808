const { exec } = require('child_process');

const runner = (command) => (text) => {
  exec(command); // ok: command-injection
  return text.length;
};
const printer = (text) => () => text;

printer(process.argv[2])();
runner('ls')(process.argv[3]);
