import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Upper limit of a plain `node:http` server: reads and parses the body, answers `202` with JSON, and stores nothing. Sends its
 * port to its parent process.
 */
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    JSON.parse(Buffer.concat(chunks).toString('utf8'));
    const answer = JSON.stringify({ delivery_id: request.headers['x-service-delivery-id'] });
    response.writeHead(202, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) });
    response.end(answer);
  });
});

server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
