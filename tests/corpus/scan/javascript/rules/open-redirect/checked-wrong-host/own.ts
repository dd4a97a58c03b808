// `https://example.com.attacker.net` passes too.
export const isOwn = (target: string): boolean => target.startsWith('https://example.com');
