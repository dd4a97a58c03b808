import { execSync } from 'child_process';

interface Options { folder: string; format: string }

export class Archiver {
  private readonly options: Options = { folder: '.', format: 'tar' };

  constructor(options: Partial<Options>) {
    Object.assign(this.options, options);
  }

  run(): void {
    execSync(`tar cf out.tar ${this.options.folder}`); // sink: command-injection argv
  }
}
