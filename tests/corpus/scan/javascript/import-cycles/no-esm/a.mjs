import { step } from './b.mjs';

export function begin(text) {
  step('ls', text.length);
}
