import { exec } from 'child_process';
import title, { command } from './commands.mjs';

exec(command); // ok: command-injection
title.trim();
