/** The time that stands for the build in files. */
export function readSourceTime(folder: string): Date;
