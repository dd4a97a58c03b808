import { execSync } from 'child_process';

function valueOf(kind: string, text: string): string {
  let value = '';
  switch (kind) {
    case 'quoted':
      value = '"';
    // falls through
    case 'plain':
      value += text;
      break;
    case 'none':
      return 'true';
  }
  return value;
}

execSync(`echo ${valueOf(process.argv[2], process.argv[3])}`); // source: argv // sink: command-injection argv
