import type { Endpoint } from '../endpoint.ts'
import { authErrors, badJson, httpErrors } from '../errors.ts'

/**
 * Refusals that every endpoint can return: the world has ended, or the host name or the world belongs to another
 * server.
 */
const refusals = { 410: null, 421: httpErrors[421] } as const

/** Refusals of callers without access, and of a team that has reached one of its limits. */
const accessRefusals = { 401: authErrors[401], 403: 'Forbidden.', 429: httpErrors[429] } as const

const bodyRefusals = { 413: httpErrors[413], 415: httpErrors[415], 422: null } as const

/** A row has control access unless it is public. The shared errors are added to the row's `errors`. */
type ControlRow = Omit<Endpoint, 'access' | 'errors'> &
  Partial<Pick<Endpoint, 'errors'>> & { readonly access?: 'public' }

/** Completes a row of the control table with its access and the refusals that follow from its access and body. */
export const controlEndpoint = <const Row extends ControlRow>(row: Row): Row & Pick<Endpoint, 'access' | 'errors'> => ({
  ...row,
  access: row.access ?? 'control',
  errors: {
    ...refusals,
    ...(row.access === undefined && accessRefusals),
    ...(row.body && bodyRefusals),
    ...(row.body && !row.upload && { 400: badJson }),
    ...row.errors,
  },
})
