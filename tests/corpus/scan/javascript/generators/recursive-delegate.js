const { exec } = require('child_process');
function* walk(tree) {
  yield tree.value;
  for (const child of tree.children ?? []) yield* walk(child);
}
for (const value of walk({ value: 'x', children: [{ value: process.argv[2] }] })) { // source: argv
  exec(value); // sink: command-injection argv
}
