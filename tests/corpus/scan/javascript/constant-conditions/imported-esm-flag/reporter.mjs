import { execSync } from 'node:child_process';
import { features } from './features.mjs';

export function createReporter() {
  if (!features.audit) return () => undefined;
  return (service) => execSync(`systemctl status ${service}`); // sink: command-injection service
}
