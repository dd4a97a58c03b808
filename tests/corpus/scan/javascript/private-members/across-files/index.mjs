import { Task } from './task.mjs';

const task = new Task();
task.command = process.argv[2]; // source: argv
task.start();
