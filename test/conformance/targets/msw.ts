import { setupServer } from 'msw/node'
import type { HttpServer } from '../../../emulator/http/server.ts'
import { defaultWorld } from '../../../src/contract/index.ts'
import { handlers } from '../../../src/testing/msw.ts'
import { exchangeAt } from '../http_exchange.ts'
import type { Target, World } from '../target.ts'
import { openWorld } from './inject.ts'

/** Number of worlds so far: each world has its own host, because one server of MSW serves all worlds. */
let hosts = 0

const interception = setupServer()

/** The emulator in this process, behind a handler of MSW: requests of `node:http` go to a host that does not exist. */
export const msw: Target = {
  name: 'the emulator behind MSW',
  reach: 'inside',
  listens: false,
  takesAnyHost: true,
  start: (options = {}) => openWorld({ settle: 'manual', clock: 'running', ...options }, intercepted),
}

function intercepted(server: HttpServer): World['exchange'] {
  if (hosts === 0) interception.listen({ onUnhandledFrame: 'bypass' })
  hosts += 1
  const baseUrl = `http://bank-${hosts}.test/v1`
  const ask: typeof fetch = (input, init) => server.fetch(input, init, { world: defaultWorld, base: baseUrl })
  interception.use(...handlers({ baseUrl: 'https://emulator.invalid', fetch: ask }, { baseUrl }))
  return exchangeAt(baseUrl)
}
