import { exec } from 'child_process';

enum Mode {
  Fixed,
  Free,
}

function commandOf(mode: Mode, text: string): string {
  switch (mode) {
    case Mode.Fixed:
      return 'ls';
    case Mode.Free:
      return text;
  }
}

exec(commandOf(Mode.Free, process.argv[2])); // source: argv // sink: command-injection argv
