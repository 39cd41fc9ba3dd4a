import type { Endpoint } from './endpoint.ts'
import { endpoints } from './endpoints.ts'

/**
 * The endpoint table in the form that the client uses. In the command line's bundle the table is JSON without the
 * schemas that only documents and the emulator need: creating these schemas would take 4 ms at every start
 * (.build/written_modules.ts).
 */
export const wireTable: Readonly<Record<keyof typeof endpoints, Endpoint>> = endpoints
