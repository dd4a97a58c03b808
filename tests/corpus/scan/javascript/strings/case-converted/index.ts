import { execSync } from 'child_process';
import { toVariable } from './variables';

execSync(`export ${toVariable(process.argv[2])}=1`); // source: argv // sink: command-injection argv
