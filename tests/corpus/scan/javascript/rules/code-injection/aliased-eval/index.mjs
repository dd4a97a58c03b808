import { read } from './configuration.mjs';

export default read(process.argv[2]); // source: argv
