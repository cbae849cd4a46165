/** One call of an operation of a port in another thread. */
export interface PortRequest {
  port: string;
  operation: string;
  args: unknown[];
}

/** The operations of each port that another thread offers. Each of them returns a promise. */
export type PortOperations<Ports> = { readonly [Port in keyof Ports]: readonly (keyof Ports[Port])[] };

/** Ports of another thread: each operation is a call. Arguments and results are copied. */
export function createPortClient<Ports>(
  operations: PortOperations<Ports>,
  call: (request: PortRequest) => Promise<unknown>,
): Ports {
  const client: Record<string, Record<string, unknown>> = {};
  for (const [port, names] of Object.entries(operations) as [string, readonly string[]][]) {
    client[port] = {};
    for (const operation of names) {
      client[port][operation] = (...args: unknown[]) => call({ port, operation, args });
    }
  }
  return client as Ports;
}

/** Performs a call of another thread on ports of this thread. */
export function performCall(ports: object, { port, operation, args }: PortRequest): Promise<unknown> {
  const operations = (ports as Record<string, Record<string, (...args: unknown[]) => Promise<unknown>>>)[port]!;
  return operations[operation]!(...args);
}
