const { exec } = require('child_process');

const Commands = Object.freeze({ LIST: 'ls', WHERE: 'pwd' });
const v = process.argv[2];
if (!Object.values(Commands).includes(v)) throw new Error('no');
exec(v); // ok: command-injection
