const { exec } = require('child_process');

function visit(node) {
  if (node.command) exec(node.command); // sink: command-injection argv
  node.children.forEach(visit);
}

visit({ children: [{ children: [], command: process.argv[2] }] }); // source: argv
