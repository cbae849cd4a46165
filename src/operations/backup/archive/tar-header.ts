// The part of the tar format (POSIX ustar) that a backup needs: regular files with short names. A parser of the complete
// format would also accept links, devices and extensions, which only a hostile archive has.

/** Size of a header, and the unit of the archive. */
export const BLOCK_BYTES = 512;

const NAME_BYTES = 100;
const PREFIX_BYTES = 155;
/** Larger sizes do not fit into eleven octal digits, and are written in base 256 as GNU tar does. */
const MAX_OCTAL = 0o77777777777;
const CHECKSUM_AT = 148;
const CHECKSUM_BYTES = 8;

/** A file in the archive. */
export interface TarFile {
  name: string;
  size: number;
}

/** Throws if the name is too long for the format. */
export function writeTarHeader({ name, size }: TarFile, modifiedAtMs: number): Buffer {
  const block = Buffer.alloc(BLOCK_BYTES);
  const [prefix, rest] = splitName(name);
  block.write(rest, 0, 'utf8');
  block.write('0000600\0', 100, 'latin1');
  block.write('0000000\0', 108, 'latin1');
  block.write('0000000\0', 116, 'latin1');
  writeSize(block, size);
  block.write(`${toOctal(Math.floor(modifiedAtMs / 1000), 11)}\0`, 136, 'latin1');
  block.write('0', 156, 'latin1');
  block.write('ustar\x0000', 257, 'latin1');
  block.write(prefix, 345, 'utf8');
  block.write(`${toOctal(sumBytes(block), 6)}\0 `, CHECKSUM_AT, 'latin1');
  return block;
}

/** The file that a header describes; `null` for the block of zeros at the end. Throws for everything else. */
export function readTarHeader(block: Buffer): TarFile | null {
  if (block.every((byte) => byte === 0)) return null;
  if (parseOctal(block, CHECKSUM_AT, CHECKSUM_BYTES) !== sumBytes(block)) throw new Error('a header is damaged');
  if (block.toString('latin1', 257, 262) !== 'ustar') throw new Error('a header is not in the format of POSIX tar');
  const type = block.toString('latin1', 156, 157);
  const [name, prefix] = [readText(block, 0, NAME_BYTES), readText(block, 345, PREFIX_BYTES)];
  const whole = prefix === '' ? name : `${prefix}/${name}`;
  if (type !== '0') throw new Error(`${JSON.stringify(whole)} is not a regular file (type ${JSON.stringify(type)})`);
  return { name: whole, size: readSize(block) };
}

/** Number of zeros after the content of a file. */
export function countPadding(size: number): number {
  return (BLOCK_BYTES - (size % BLOCK_BYTES)) % BLOCK_BYTES;
}

function splitName(name: string): [prefix: string, rest: string] {
  if (Buffer.byteLength(name) <= NAME_BYTES) return ['', name];
  for (let at = name.lastIndexOf('/'); at > 0; at = name.lastIndexOf('/', at - 1)) {
    const [prefix, rest] = [name.slice(0, at), name.slice(at + 1)];
    if (Buffer.byteLength(rest) > NAME_BYTES) break;
    if (Buffer.byteLength(prefix) <= PREFIX_BYTES) return [prefix, rest];
  }
  throw new Error(`the path ${JSON.stringify(name)} is too long for a tar archive`);
}

function writeSize(block: Buffer, size: number): void {
  if (size <= MAX_OCTAL) {
    block.write(`${toOctal(size, 11)}\0`, 124, 'latin1');
    return;
  }
  block[124] = 0x80;
  block.writeBigUInt64BE(BigInt(size), 128);
}

function readSize(block: Buffer): number {
  const size = block[124] === 0x80 ? Number(block.readBigUInt64BE(128)) : parseOctal(block, 124, 12);
  if (!Number.isSafeInteger(size)) throw new Error('a header has an invalid size');
  return size;
}

/** Octal digits, ended by zeros or spaces. `NaN` for anything else. */
function parseOctal(block: Buffer, at: number, length: number): number {
  const digits = /^([0-7]+)[\0 ]*$/.exec(block.toString('latin1', at, at + length))?.[1];
  return digits === undefined ? Number.NaN : Number.parseInt(digits, 8);
}

function toOctal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, '0');
}

function readText(block: Buffer, at: number, length: number): string {
  const end = block.indexOf(0, at);
  return block.toString('utf8', at, end === -1 || end > at + length ? at + length : end);
}

/** The sum of all bytes, with spaces in place of the sum itself. */
function sumBytes(block: Buffer): number {
  let sum = 0;
  for (let at = 0; at < BLOCK_BYTES; at += 1) {
    sum += at >= CHECKSUM_AT && at < CHECKSUM_AT + CHECKSUM_BYTES ? 0x20 : block[at]!;
  }
  return sum;
}
