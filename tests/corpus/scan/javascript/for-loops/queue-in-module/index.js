const queue = require('./queue');
const { drain } = require('./worker');

for (let i = 2; i < process.argv.length; i++) {
  queue.push({ id: i, line: process.argv[i] }); // source: argv
}
drain();
