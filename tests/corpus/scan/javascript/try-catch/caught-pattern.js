const { exec } = require('child_process');

function f(v) { try { throw v; } catch (e) { return 'ls'; } }
exec(f(process.argv[2])); // ok: command-injection
function g(v) { try { throw { v }; } catch ({ v: w }) { return w; } }
exec(g(process.argv[2])); // source: argv // sink: command-injection argv
