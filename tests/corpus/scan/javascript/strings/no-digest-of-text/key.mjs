import { createHash } from 'node:crypto';

export const keyOf = (parts) => createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
