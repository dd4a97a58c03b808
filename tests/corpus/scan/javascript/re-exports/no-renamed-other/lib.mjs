export { size as run, run as size } from './run.mjs';
