import express, { type NextFunction, type Request, type Response } from 'express';

const describe = (value: unknown): string => `${typeof value}:${String(value).length}`;

function audit(name: string) {
  return (req: Request, res: Response, next: NextFunction): void => {
    console.info(name, describe(req.query[name])); // ok: log-injection
    next();
  };
}

express().get('/', audit('q'), (req, res) => {
  res.end();
});
