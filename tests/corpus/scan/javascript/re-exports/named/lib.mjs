export { execute as run } from './run.mjs';
