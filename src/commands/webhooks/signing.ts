import type { Command } from 'commander'
import { UsageError } from '../../errors/cli_error.ts'
import type { Signing } from '../../webhooks/signature.ts'
import { headerName } from '../emulate/values.ts'

export interface SigningFlags {
  readonly secretFile?: string
  readonly signatureHeader?: string
}

/** Adds the flags of a command that posts deliveries. */
export const addSigningOptions = (command: Command): Command =>
  command
    .option(
      '--secret-file <file>',
      'sign what is posted with the secret in this file\nthat of the receiver’s subscription',
    )
    .option('--signature-header <name>', 'in this header, with --secret-file', headerName)

/** How deliveries are signed; undefined: they keep the headers they came with. Throws UsageError for one flag of the two. */
export async function signingOf({ secretFile, signatureHeader: header }: SigningFlags): Promise<Signing | undefined> {
  if (secretFile === undefined && header === undefined) return undefined
  if (secretFile === undefined || header === undefined) {
    throw new UsageError(
      'A signature needs a secret and a header.',
      'Give both: --secret-file hook.secret --signature-header X-Signature',
    )
  }
  const { secretFromFile } = await import('../../cli/secret_input.ts')
  return { header, secret: await secretFromFile(secretFile, '--secret-file') }
}
