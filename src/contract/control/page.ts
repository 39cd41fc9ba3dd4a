import { type Static, Type } from 'typebox'
import { closed, described, nullable, Timestamp } from '../schemas/scalars.ts'
import { controlEndpoint } from './control_endpoint.ts'

/** Paths of the emulator's page, below the prefix of a world. These paths are not endpoints. */
export const pagePaths = {
  page: '/_emulator/',
  withoutSlash: '/_emulator',
  file: '/_emulator/page/{file}',
} as const

/** Lifetime of a code that opens the page, in seconds of real time. */
export const pageCodeLife = 60

const PageCodeText = Type.String({
  pattern: '^[\\w-]{22}$',
  'x-messages': { pattern: 'The code must be one that `payctl emulator open` made.' },
  description: 'Code that opens the page once',
})

export const PageCode = Type.Object({
  code: PageCodeText,
  url: Type.String({ description: 'URL of the page, with the code in its fragment' }),
  expires_at: described(Timestamp, 'Time until which the code can be used, UTC by the machine’s clock'),
})
export type PageCode = Static<typeof PageCode>

export const PageToken = Type.Object({
  control_token: described(
    nullable(Type.String()),
    'Control token of the emulator, or key of the team that made the code; null if control endpoints require no token',
  ),
})

export const pageEndpoints = {
  'control.page.code': controlEndpoint({
    method: 'POST',
    path: '/_emulator/page-codes',
    summary: 'Make a code that opens the page once',
    description: `The code belongs in the fragment of the page’s URL and is valid for ${pageCodeLife} seconds. The page exchanges the code for the control token, so that no URL contains a lasting secret.`,
    success: { status: 201, message: 'Code made', data: PageCode },
    ofEmulator: true,
  }),
  'control.page.enter': controlEndpoint({
    method: 'POST',
    path: '/_emulator/page-codes/exchange',
    access: 'public',
    summary: 'Exchange a code for the control token',
    description:
      'A code works once. The answer is 409 if the code was used before: another person may have opened the page with it.',
    body: closed({ code: PageCodeText }),
    success: { status: 200, message: 'Code exchanged', data: PageToken },
    errors: {
      403: 'Forbidden.',
      404: 'The code is unknown or older than 60 seconds',
      409: 'The code was used before',
    },
    ofEmulator: true,
  }),
} as const
