import { execSync } from 'node:child_process';

export const tool = {
  options: { folder: '.' },
  configure(options) {
    Object.assign(this.options, options);
    return this;
  },
  build() {
    execSync(`make -C ${this.options.folder}`); // sink: command-injection argv
  },
};
