import { load } from './load.mjs';

await load(process.argv[2]); // source: argv
