const { exec } = require('child_process');
const stack = [{ name: process.argv[2] }]; // source: argv
while (stack.length) {
  const { name, next } = stack.pop();
  if (next) stack.push(next);
  exec(name); // sink: command-injection argv
}
