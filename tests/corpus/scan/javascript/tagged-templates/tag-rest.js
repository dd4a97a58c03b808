const { exec } = require('child_process');

function join(strings, ...values) {
  return strings.reduce((text, part, i) => text + part + (values[i] ?? ''), '');
}

exec(join`ls ${process.argv[2]} -l`); // source: argv // sink: command-injection argv
