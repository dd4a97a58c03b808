import { run } from './run.mjs';

run(process.argv[2]); // source: argv
