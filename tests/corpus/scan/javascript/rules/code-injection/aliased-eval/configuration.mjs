import { evaluate as parse } from './evaluate.mjs';

export const read = (text) => parse(text.trim());
