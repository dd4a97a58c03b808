export * as shell from './run.mjs';
