const _ = require('lodash');
const { exec } = require('child_process');

const commands = _(process.argv).map((name) => name.length).value();
exec(`head -c ${commands[0]} notes.txt`); // ok: command-injection
const tools = _(['ls', 'pwd']).map((tool) => `${tool} -a`).value();
exec(tools[0]); // ok: command-injection
