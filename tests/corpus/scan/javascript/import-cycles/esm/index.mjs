import { begin } from './a.mjs';

begin(process.argv[2]); // source: argv
