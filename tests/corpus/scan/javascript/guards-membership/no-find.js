const { exec } = require('child_process');

const commands = ['ls', 'pwd'];
const command = commands.find((each) => each === process.argv[2]);
exec(command); // ok: command-injection
