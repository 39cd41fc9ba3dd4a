import type { Catalogue } from '../spanish.ts'

/** Batches: their summaries, and the reasons of their rows. */
export const batches = {} as const satisfies Catalogue
