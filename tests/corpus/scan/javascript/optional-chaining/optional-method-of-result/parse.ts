export interface Request { target?: { unit?: string } }

export function parse(text: string | undefined): Request | undefined {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}
