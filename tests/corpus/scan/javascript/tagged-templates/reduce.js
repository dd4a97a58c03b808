const { exec } = require('child_process');
function tag(strings, ...values) { return strings.reduce((text, part, i) => text + part + (values[i] ?? ''), ''); }
exec(tag`ls ${process.argv[2]} -l`); // source: argv // sink: command-injection argv
