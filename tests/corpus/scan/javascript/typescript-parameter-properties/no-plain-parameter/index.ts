import { Task } from './task';

new Task(process.argv[2]).start();
