import express from 'express';

const revive = (key: string, value: unknown): unknown => (key.endsWith('At') ? new Date(String(value)) : value);

class Codec {
  decode(text: string): unknown {
    return JSON.parse(text, revive); // ok: unsafe-deserialization
  }
}

const app = express();
const codec = new Codec();
app.post('/', (req, res) => {
  res.json(codec.decode(req.body.text));
});
