import { shell } from './shell.mjs';

shell`git clone ${process.argv[2]}`; // source: argv
