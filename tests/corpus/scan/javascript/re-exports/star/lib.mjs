export * from './run.mjs';
export const version = '1';
