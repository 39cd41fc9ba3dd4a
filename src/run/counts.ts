/** `1,600`. */
export const grouped = (count: number | bigint): string => count.toLocaleString('en-US')

/** `1 row`, `1,600 rows`. */
export const counted = (count: number, what: string): string => `${grouped(count)} ${what}${count === 1 ? '' : 's'}`
