import { run } from './lib/run.js';

run(process.argv[2]); // source: argv
