/** The platforms that a release has a tarball for: how npm selects their packages, and the name of their SQLite binary. */
export const PLATFORMS = {
  'linux-x64': { os: 'linux', cpu: 'x64', libc: 'glibc', sqlite: 'linux-x64' },
  'linux-arm64': { os: 'linux', cpu: 'arm64', libc: 'glibc', sqlite: 'linux-arm64' },
  'linux-x64-musl': { os: 'linux', cpu: 'x64', libc: 'musl', sqlite: 'linuxmusl-x64' },
  'linux-arm64-musl': { os: 'linux', cpu: 'arm64', libc: 'musl', sqlite: 'linuxmusl-arm64' },
  'darwin-x64': { os: 'darwin', cpu: 'x64', libc: null, sqlite: 'darwin-x64' },
  'darwin-arm64': { os: 'darwin', cpu: 'arm64', libc: null, sqlite: 'darwin-arm64' },
};

/** Throws an `Error` with a message for the user if no release exists for the platform. */
export function findPlatform(name) {
  const platform = PLATFORMS[name];
  if (platform !== undefined) return platform;
  throw new Error(`unknown platform "${name}": use one of ${Object.keys(PLATFORMS).join(', ')}`);
}
