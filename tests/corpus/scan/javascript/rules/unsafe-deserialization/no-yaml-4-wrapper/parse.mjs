import { load } from 'js-yaml';

export const parse = (text) => load(text, { filename: 'settings.yaml' }); // ok: unsafe-deserialization
