export * from './run.mjs';
export const run = (text) => text.length;
