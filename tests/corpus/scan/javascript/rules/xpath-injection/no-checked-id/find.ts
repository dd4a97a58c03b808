import xpath from 'xpath';
import { DOMParser } from 'xmldom';

const users = new DOMParser().parseFromString('<users/>');

export function find(text: string): number {
  const id = Number.parseInt(text, 10);
  return xpath.select(`//user[@id=${id}]`, users).length; // ok: xpath-injection
}
