const run = (0, eval);

export function evaluate(text) {
  return run(`(${text})`); // sink: code-injection argv
}
