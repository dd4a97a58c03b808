import { promises as fs } from 'fs';
import { join } from 'path';

interface Target { folder: string; name: string }

const pathOf = ({ folder, name }: Target): string => join('/srv/uploads', folder, name);

export async function save(target: Target, data: Buffer): Promise<void> {
  await fs.writeFile(pathOf(target), data); // sink: path-traversal folder
}
