import { start as go } from './run.mjs';

go(process.argv[2]); // source: argv
