/** What `payments batch` can be told. */
export interface BatchFlags {
  readonly from?: string
  readonly batchId?: string
  readonly skipSent?: boolean
  readonly checkPayees?: boolean
  readonly concurrency: number
  /** Path of the result file. */
  readonly result?: string
  readonly wait?: boolean
  /** Milliseconds. */
  readonly waitTimeout: number
  readonly yes?: boolean
  readonly dryRun?: boolean
}
