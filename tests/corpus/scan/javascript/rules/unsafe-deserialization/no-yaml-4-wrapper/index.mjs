import { parse } from './parse.mjs';

export const settings = parse(process.argv[2]);
