export let command = 'ls';
export function configure(value) {
  command = value;
}
