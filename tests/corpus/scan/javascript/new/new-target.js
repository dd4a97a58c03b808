const { exec } = require('child_process');

function T(v) { if (!new.target) return new T(v); this.v = v; }
exec(T(process.argv[2]).v); // source: argv // sink: command-injection argv
exec(T('ls').v); // ok: command-injection
