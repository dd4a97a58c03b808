const { exec } = require('child_process');
function tag(strings, ...values) { return strings.join('?'); }
exec(tag`ls ${process.argv[2]} -l`); // ok: command-injection
