const { exec } = require('child_process');

function walk(node, visit) { visit(node.name); (node.children || []).forEach((c) => walk(c, visit)); }
walk({ name: 'a', children: [{ name: process.argv[2] }] }, (n) => exec(n)); // source: argv // sink: command-injection argv
