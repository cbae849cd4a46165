import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * What a bare `node:http` can do at most: reads the body, parses it, answers `202` with JSON; keeps nothing. Tells its
 * parent process the port.
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
