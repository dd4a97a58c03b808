import { EventEmitter, on } from 'node:events';
import { execSync } from 'node:child_process';

const emitter = new EventEmitter();

async function work() {
  for await (const [command] of on(emitter, 'job')) execSync(command); // sink: command-injection argv
}

work();
emitter.emit('job', process.argv[2]); // source: argv
