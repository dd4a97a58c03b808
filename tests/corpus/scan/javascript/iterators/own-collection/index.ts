import { execSync } from 'child_process';
import { Queue } from './queue';

const queue = new Queue<string>();
queue.add(process.argv[2]); // source: argv
for (const line of queue) execSync(line); // sink: command-injection argv
