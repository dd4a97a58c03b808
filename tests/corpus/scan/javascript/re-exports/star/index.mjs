import { run } from './lib.mjs';

run(process.argv[2]); // source: argv
