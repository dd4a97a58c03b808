import express, { Request, Response } from 'express';
import { restart } from './services';

interface Target { unit: string; reason?: string }

const app = express();

app.post('/restart', async ({ body, params }: Request, res: Response) => { // source: body
  const { target: { unit, ...rest } }: { target: Target } = body;
  await restart({ unit, ...rest });
  res.json({ id: params.id });
});
