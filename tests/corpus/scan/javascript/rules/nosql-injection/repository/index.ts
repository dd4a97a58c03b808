import express from 'express';
import { UserRepository } from './users';

const app = express();
const users = new UserRepository();
app.use(express.json());

app.post('/login', async (req, res) => {
  const { name, password } = req.body; // source: body
  const user = await users.byCredentials({ name, password });
  res.json({ found: user !== null });
});
