/** 32 letters and digits that are not easily confused. Each encodes 5 bits, so every byte gives one without bias. */
const LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789';
const GROUPS = 5;
const GROUP_LETTERS = 4;

/** A password of 100 random bits, in readable groups: `k7mp-2xqd-…`. */
export function generatePassword(): string {
  const letters = Array.from(crypto.getRandomValues(new Uint8Array(GROUPS * GROUP_LETTERS)), pickLetter);
  return Array.from({ length: GROUPS }, (_, group) =>
    letters.slice(group * GROUP_LETTERS, (group + 1) * GROUP_LETTERS).join(''),
  ).join('-');
}

function pickLetter(byte: number): string {
  return LETTERS[byte % LETTERS.length]!;
}
