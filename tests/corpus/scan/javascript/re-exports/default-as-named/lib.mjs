export { default as command } from './command.mjs';
