import type { AddressInfo } from 'node:net';
import S3rver from 's3rver';
import type { S3Settings } from '../../src/runs/executors/log/shared/s3-objects.ts';

/** An S3-compatible server on a folder, with one bucket. */
export interface S3Server {
  settings: S3Settings;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** The server has this access key. */
const KEY = 'S3RVER';

/** @param directory an empty folder */
export async function startS3Server(directory: string): Promise<S3Server> {
  const bucket = 'dockbell-logs';
  let server: S3rver | null = null;
  let port = 0;
  const start = async () => {
    server = new S3rver({
      address: '127.0.0.1',
      port,
      silent: true,
      directory,
      configureBuckets: [{ name: bucket, configs: [] }],
    });
    ({ port } = (await server.run()) as AddressInfo);
  };
  await start();
  return {
    settings: {
      bucket,
      prefix: 'run-logs',
      region: 'us-east-1',
      endpoint: `http://127.0.0.1:${port}`,
      accessKeyId: KEY,
      secretAccessKey: KEY,
    },
    start,
    stop: async () => {
      await server?.close();
      server = null;
    },
  };
}
