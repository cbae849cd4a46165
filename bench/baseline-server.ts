import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Upper limits of a plain `node:http` server, which stores nothing. `read` reads the body into a buffer and answers `202`
 * with JSON. `parse` also parses the body. Sends its port to its parent process.
 */
const isParsing = process.argv[2] === 'parse';
const ANSWER = JSON.stringify({ status: 'accepted' });
const HEADERS = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(ANSWER) };

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const body = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
    if (isParsing) JSON.parse(body.toString('utf8'));
    response.writeHead(202, HEADERS);
    response.end(ANSWER);
  });
});

server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
