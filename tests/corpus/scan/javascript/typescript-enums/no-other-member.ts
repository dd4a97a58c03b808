import { exec } from 'child_process';

enum Field {
  Command = 'command',
  Title = 'title',
}

const task: Record<string, string> = { command: 'ls' };
task[Field.Title] = process.argv[2];
exec(task[Field.Command]); // ok: command-injection
