import { exec } from 'child_process';

enum Field {
  Command = 'command',
  Title = 'title',
}

const task: Record<string, string> = { title: 'x' };
task[Field.Command] = process.argv[2]; // source: argv
exec(task.command); // sink: command-injection argv
