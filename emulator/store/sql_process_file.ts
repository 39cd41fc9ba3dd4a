/** The program that answers queries, in the source tree. In a bundle .build/sql_process_file.cjs takes the place of this file. */
export const sqlProcessFile: URL | string = new URL('./sql_process.ts', import.meta.url)
