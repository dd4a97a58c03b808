export function fail(what) {
  throw new Error(`bad ${what}`);
}
