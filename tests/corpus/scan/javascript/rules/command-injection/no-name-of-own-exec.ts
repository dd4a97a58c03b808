import express from 'express';

class Query {
  private readonly filters: string[] = [];

  where(text: string): this {
    this.filters.push(text);
    return this;
  }

  exec(): number {
    return this.filters.length;
  }
}

const app = express();

app.get('/', (req, res) => {
  const query = new Query().where(String(req.query.q));
  res.json({ count: query.exec() }); // ok: command-injection
});
