import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
} from '@aws-sdk/client-s3';
import { AppError, messageOf } from '../../../../domain/errors.ts';
import type { LogObjects } from './log-objects.ts';

/** Where the objects are. */
export interface S3Settings {
  bucket: string;
  /** Beginning of all keys, without a slash at the end. */
  prefix: string;
  region: string;
  /** `null` for Amazon S3. */
  endpoint: string | null;
  /** Both or none: without them, the SDK looks for credentials. */
  accessKeyId: string | null;
  secretAccessKey: string | null;
}

/** Number of objects that are removed at the same time. */
const PAGE_OBJECTS = 50;
const CONNECT_MS = 3_000;
const ANSWER_MS = 10_000;

/** Objects in a bucket of an S3-compatible store. Connects when it is used first. */
export function createS3Objects({ bucket: Bucket, prefix, ...settings }: S3Settings): LogObjects {
  const client = new S3Client(composeClient(settings));
  const keyOf = (key: string) => `${prefix}/${key}`;
  // One by one: not every compatible store can delete several objects in a request.
  const removePage = async (Prefix: string): Promise<boolean> => {
    const page = new ListObjectsV2Command({ Bucket, Prefix, MaxKeys: PAGE_OBJECTS });
    const { Contents = [], IsTruncated = false } = await client.send(page);
    await Promise.all(Contents.map(({ Key }) => client.send(new DeleteObjectCommand({ Bucket, Key }))));
    return IsTruncated;
  };
  return {
    put: (key, Body) =>
      translate(async () => void (await client.send(new PutObjectCommand({ Bucket, Key: keyOf(key), Body })))),
    get: (key) => translate(() => getObject(client, { Bucket, Key: keyOf(key) })),
    removeAll: (start) =>
      translate(async () => {
        while (await removePage(keyOf(start))) {
          // The next page begins after what was removed.
        }
      }),
  };
}

function composeClient({
  region,
  endpoint,
  accessKeyId,
  secretAccessKey,
}: Omit<S3Settings, 'bucket' | 'prefix'>): S3ClientConfig {
  return {
    region,
    maxAttempts: 2,
    requestHandler: { connectionTimeout: CONNECT_MS, requestTimeout: ANSWER_MS },
    // Compatible stores do not know the newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    ...(endpoint === null ? {} : { endpoint, forcePathStyle: true }),
    ...(accessKeyId === null || secretAccessKey === null ? {} : { credentials: { accessKeyId, secretAccessKey } }),
  };
}

async function getObject(client: S3Client, object: { Bucket: string; Key: string }): Promise<Uint8Array | null> {
  try {
    const { Body } = await client.send(new GetObjectCommand(object));
    return (await Body?.transformToByteArray()) ?? null;
  } catch (error) {
    if (error instanceof NoSuchKey) return null;
    throw error;
  }
}

async function translate<Result>(operation: () => Promise<Result>): Promise<Result> {
  try {
    return await operation();
  } catch (cause) {
    const name = cause instanceof Error ? cause.name : 'Error';
    throw new AppError(
      'storage_unavailable',
      `The object store of run logs (storage.s3): ${name}: ${messageOf(cause)}`,
      {
        cause,
      },
    );
  }
}
