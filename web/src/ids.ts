/** Names for things of the project that are told apart by one. */

export function newId(): string {
  return Math.random().toString(36).slice(2, 12).padEnd(4, "0");
}
