import type { Input } from '../../cli/command.ts'
import { UsageError } from '../../errors/cli_error.ts'
import type { Signing } from '../../webhooks/forward.ts'
import { headerName } from '../emulate/values.ts'

/** Flags of a command that posts deliveries. */
export const signingFlags = {
  '--secret-file <file>': {
    about: 'sign what is posted with the secret in this file\nthat of the receiver’s subscription',
    of: 'file',
  },
  '--signature-header <name>': { about: 'in this header, with --secret-file', parse: headerName },
} as const

type SigningFlags = Input<Record<never, never>, typeof signingFlags>

/** Signature options; undefined: deliveries keep their headers. Throws UsageError if only one of the two flags is set. */
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
