import { execSync } from 'child_process';
import { isDenied } from './denied';

const tool = process.argv[2]; // source: argv
if (isDenied(tool)) process.exit(1);
execSync(tool); // sink: command-injection argv
