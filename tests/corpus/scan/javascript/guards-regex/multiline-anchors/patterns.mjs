export const patterns = { branch: /^[\w./-]+$/m, tag: /^v\d+$/ };
