const DEFAULTS = { width: '100', height: '100' };

export function withDefaults(input) {
  const options = {};
  for (const name in DEFAULTS) {
    options[name] = input[name] || DEFAULTS[name];
  }
  return options;
}
