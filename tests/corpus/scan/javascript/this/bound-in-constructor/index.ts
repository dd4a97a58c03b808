import { EventEmitter } from 'events';
import { Runner } from './runner';

const emitter = new EventEmitter();
const runner = new Runner(process.argv[2]); // source: argv
emitter.on('tick', runner.tick);
emitter.emit('tick', 3);
