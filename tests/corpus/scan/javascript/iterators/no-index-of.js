const { exec } = require('child_process');

const list = ['ls', 'pwd'];
const position = list.indexOf(process.argv[2]);
if (position >= 0) exec(list[position]); // ok: command-injection
