import { EventEmitter, on } from 'node:events';
import { execSync } from 'node:child_process';

const emitter = new EventEmitter();

async function work() {
  for await (const [command] of on(emitter, 'job')) execSync(command); // ok: command-injection
}

work();
emitter.emit('job', 'ls');
emitter.emit('done', process.argv.length);
