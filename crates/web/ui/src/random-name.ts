/** Sixteen random hexadecimal digits; `crypto.randomUUID` is missing on pages from another machine without TLS. */
export function randomName(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
