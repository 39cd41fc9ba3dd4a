/**
 * The program that answers queries, in the source tree. In the bundle, .build/sql_process_file.cjs replaces this file.
 */
export const sqlProcessFile: URL | string = new URL('./sql_process.ts', import.meta.url)
