import { execSync } from 'child_process';
import { BranchName } from './branch-name';

const name = BranchName.parse(process.argv[2]);
execSync(`git checkout ${name.text}`); // ok: command-injection
