import { execSync } from 'child_process';
import { withTool } from './options';

const options = withTool({ tool: process.argv[2], label: 'x' });
execSync(`${options.tool} status`); // ok: command-injection
