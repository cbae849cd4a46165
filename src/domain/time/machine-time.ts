/** Milliseconds on the clock that all threads and processes of this machine share. It never goes back. */
export function machineNowMs(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1000;
}
