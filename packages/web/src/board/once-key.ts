/** A key that no other creation has, however often this one is sent. `crypto.randomUUID` is for pages under https alone. */
export function onceKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
