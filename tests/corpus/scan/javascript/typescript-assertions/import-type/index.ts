import type { Task } from './task';
import { run } from './task';

const task: Task = { command: process.argv[2] }; // source: argv
run(task);
