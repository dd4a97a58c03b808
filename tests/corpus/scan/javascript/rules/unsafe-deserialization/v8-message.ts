import v8 from 'v8';
import express from 'express';
import { unserialize } from 'node-serialize';

type Decode = (text: string) => unknown;

const decoders = new Map<string, Decode>([
  ['json', (text) => JSON.parse(text)],
  ['objects', (text) => unserialize(text)], // sink: unsafe-deserialization body
]);

function decode(kind: string, text: string): unknown {
  const decoder = decoders.get(kind);
  return decoder ? decoder(text) : v8.serialize(text).length;
}

const app = express();
app.use(express.json());
app.post('/', (req, res) => {
  res.json(decode(req.body.kind, req.body.text)); // source: body
});
