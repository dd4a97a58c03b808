const { exec } = require('child_process');
const EventEmitter = require('events');
class Parser extends EventEmitter {
  parse(text) { for (const line of text.split('\n')) this.emit('line', { line }); }
}
const parser = new Parser();
parser.on('line', ({ line }) => exec(line)); // sink: command-injection argv
parser.parse(process.argv[2]); // source: argv
