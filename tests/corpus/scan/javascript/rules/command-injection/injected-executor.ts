import { execSync } from 'child_process';

type Execute = (line: string) => Buffer;

class Deployer {
  constructor(private readonly execute: Execute) {}

  deploy(host: string): void {
    this.execute('echo start');
    this.execute(`ssh ${host} systemctl restart app`);
  }
}

const deployer = new Deployer((line) => execSync(line)); // sink: command-injection env
deployer.deploy(process.env.DEPLOY_HOST as string); // source: env
