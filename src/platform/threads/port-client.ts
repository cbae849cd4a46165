/** One call of an operation of a port in another thread. */
export interface PortRequest {
  port: string;
  operation: string;
  args: unknown[];
}

/** The operations of each port that another thread offers. Each of them returns a promise. */
type PortOperations<Ports> = { readonly [Port in keyof Ports]: readonly (keyof Ports[Port])[] };

type Unnamed<Ports, List extends PortOperations<Ports>, Port extends keyof Ports> = Exclude<
  keyof Ports[Port],
  List[Port][number]
>;

/** Demands something impossible of the list of a port that lacks an operation, which would fail only when it is called. */
type AllNamed<Ports, List extends PortOperations<Ports>> = {
  [Port in keyof Ports]: [Unnamed<Ports, List, Port>] extends [never] ? unknown : { lacks: Unnamed<Ports, List, Port> };
};

/** Lists all operations of each port: `listOperations<Ports>()({ port: ['operation'] })`. A missing one is a type error. */
export function listOperations<Ports>() {
  return <const List extends PortOperations<Ports>>(list: List & AllNamed<Ports, List>): List => list;
}

/** The operations of ports, from a table that has a row for each of them. */
export function nameOperations<Ports extends object>(
  table: {
    readonly [Port in keyof Ports]: { readonly [Operation in keyof Ports[Port]]: unknown };
  },
): PortOperations<Ports> {
  const names = Object.entries(table).map(([port, operations]) => [port, Object.keys(operations as object)]);
  return Object.fromEntries(names) as PortOperations<Ports>;
}

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
