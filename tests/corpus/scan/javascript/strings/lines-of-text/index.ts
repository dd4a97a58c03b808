import { execSync } from 'child_process';
import { lines } from './lines';

process.stdin.on('data', (chunk: Buffer) => { // source: stdin
  for (const line of lines(chunk)) {
    const [verb, ...words] = line.trim().split(/\s+/);
    if (verb === 'add') execSync('git add ' + words.join(' ')); // sink: command-injection stdin
  }
});
