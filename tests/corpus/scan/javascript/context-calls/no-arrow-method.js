const { exec } = require('child_process');

const tools = {
  same: (text) => text,
};

const title = tools.same(process.argv[2]);
const command = tools.same('ls');
exec(command); // ok: command-injection
module.exports = title;
