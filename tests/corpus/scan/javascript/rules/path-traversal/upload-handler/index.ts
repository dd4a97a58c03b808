import express from 'express';
import { save } from './uploads';

const app = express();
app.use(express.json());

app.put('/uploads/:folder', async (req, res) => {
  await save({ folder: req.params.folder, name: 'data.bin' }, Buffer.alloc(8)); // source: folder
  res.sendStatus(204);
});
