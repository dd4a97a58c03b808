import { execSync } from 'child_process';
import { isNumber } from './types';

const { limit } = JSON.parse(process.argv[2]) as { limit: unknown };
if (!isNumber(limit)) process.exit(1);
else execSync(`head -n ${limit} log.txt`); // ok: command-injection
