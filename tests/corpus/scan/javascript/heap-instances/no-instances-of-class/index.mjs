import { execSync } from 'node:child_process';
import { Settings } from './settings.mjs';

const user = new Settings();
const system = new Settings();
user.set(process.argv[2]);
system.set('/bin/sh');

execSync(`${system.get()} -c true`); // ok: command-injection
export { user };
