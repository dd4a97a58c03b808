import { shell } from './lib.mjs';

shell.run(process.argv[2]); // source: argv
