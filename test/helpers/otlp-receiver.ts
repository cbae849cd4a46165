import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as OTLP transports it, with the attributes as one object. */
export interface ReceivedSpan {
  name: string;
  kind: number;
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  traceState: string | undefined;
  startMs: number;
  endMs: number;
  /** 2 for an error. */
  status: number;
  attributes: Record<string, unknown>;
  links: { traceId: string; spanId: string }[];
  resource: Record<string, unknown>;
}

/** What receives traces: OTLP over HTTP with JSON, at `/v1/traces`. */
export interface OtlpReceiver {
  url: string;
  spans: ReceivedSpan[];
  /** All bodies, to search for what must not be in them. */
  bodies: string[];
  headers: Record<string, unknown>[];
  /** The status that it answers with. */
  status: number;
  close(): Promise<void>;
}

interface Attribute {
  key: string;
  value: Record<string, unknown>;
}

interface SpanJson {
  name: string;
  kind: number;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  traceState?: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  status?: { code?: number };
  attributes?: Attribute[];
  links?: { traceId: string; spanId: string }[];
}

interface ExportJson {
  resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: SpanJson[] }[] }[];
}

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (request.url === '/v1/traces' && receiver.status === 200) {
      const body = Buffer.concat(chunks).toString('utf8');
      receiver.bodies.push(body);
      receiver.headers.push(request.headers);
      receiver.spans.push(...readSpans(JSON.parse(body) as ExportJson));
    }
    response.writeHead(receiver.status, { 'content-type': 'application/json' }).end('{}');
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const receiver: OtlpReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: [],
    bodies: [],
    headers: [],
    status: 200,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}

function readSpans({ resourceSpans }: ExportJson): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        name: span.name,
        kind: span.kind,
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId || undefined,
        traceState: span.traceState || undefined,
        startMs: Number(span.startTimeUnixNano) / 1e6,
        endMs: Number(span.endTimeUnixNano) / 1e6,
        status: span.status?.code ?? 0,
        attributes: readAttributes(span.attributes ?? []),
        links: span.links ?? [],
        resource: readAttributes(resource.attributes),
      })),
    ),
  );
}

function readAttributes(attributes: readonly Attribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
