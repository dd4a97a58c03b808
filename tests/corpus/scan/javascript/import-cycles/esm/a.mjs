import { step } from './b.mjs';

export function begin(text) {
  step(text, 2);
}
