export function validate(name: string): string[] {
  const problems: string[] = [];
  if (!/^[\w-]+$/.test(name)) problems.push('name');
  return problems;
}
