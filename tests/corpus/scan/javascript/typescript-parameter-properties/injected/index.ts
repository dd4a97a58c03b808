import { Runner } from './runner';
import { Shell } from './shell';

new Runner(new Shell()).start(process.argv[2]); // source: argv
