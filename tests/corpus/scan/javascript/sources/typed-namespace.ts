import * as express from 'express';
import { exec } from 'child_process';

export const handler = (r: express.Request, s: express.Response) => {
  exec('ls ' + r.query.name); // source: name // sink: command-injection name
};
