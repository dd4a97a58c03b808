import * as shell from './shell.mjs';

shell.run(process.argv[2]); // source: argv
