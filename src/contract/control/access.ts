import { authErrors, badJson } from '../errors.ts'

/** What every endpoint answers to those who may not steer the emulator. */
export const controlErrors = { 401: authErrors[401], 403: 'Forbidden.' } as const

/** The same, for endpoints that take a body. */
export const controlBodyErrors = { ...controlErrors, 400: badJson, 422: null } as const
