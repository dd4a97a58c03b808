import { Tools } from './tools';

Tools.Shell.run(process.argv[2]); // source: argv
