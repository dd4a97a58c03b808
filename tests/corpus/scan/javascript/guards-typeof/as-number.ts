import { execSync } from 'child_process';

// An assertion of a type converts nothing.
const toCount = (value: unknown): number => value as number;

function head(count: number): void {
  execSync(`head -n ${count} log.txt`); // sink: command-injection argv
}

head(toCount(process.argv[2])); // source: argv
