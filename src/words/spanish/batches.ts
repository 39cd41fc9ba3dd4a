import type { Catalogue } from '../text.ts'

/** Batches: their summaries, and the reasons of their rows. */
export const batches = {} as const satisfies Catalogue
