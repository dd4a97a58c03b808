export { escape } from 'lodash';
export { default as slugify } from './slugify';
