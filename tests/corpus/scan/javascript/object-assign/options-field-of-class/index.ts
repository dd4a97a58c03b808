import { Archiver } from './archiver';

new Archiver({ folder: process.argv[2] }).run(); // source: argv
