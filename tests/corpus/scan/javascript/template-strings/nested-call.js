const { exec } = require('child_process');

const t = (s) => `x ${s}`;
exec(`${t(`${process.argv[2]}`)}`); // source: argv // sink: command-injection argv
exec(`${t(`${process.argv.length}`)}`); // ok: command-injection
