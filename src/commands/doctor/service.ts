import { isLoopback } from '../../client/base_url.ts'
import type { Answer, Client } from '../../client/client.ts'
import type { ServiceStatus } from '../../client/received.ts'
import type { Target } from '../../config/target.ts'
import { worldHeader } from '../../contract/headers.ts'
import { toRun } from '../../errors/next_step.ts'
import type { Environment } from '../../run/invocation.ts'
import { type Finding, failedWith, ok, warn } from './finding.ts'

/** Milliseconds that this machine's clock may differ from the service's. */
const tolerance = 30_000

/** Checks the service with one request without a token. */
export async function service(client: Client, target: Target, env: Environment): Promise<readonly Finding[]> {
  const start = Date.now()
  try {
    const answer = await client.answer('payments.serviceStatus')
    const end = Date.now()
    return [
      ok('service', `${target.baseUrl} answered in ${end - start} ms`),
      encryption(target, env),
      ...clock(answer, start, end),
      rails(answer.data),
    ]
  } catch (error) {
    return [failedWith('service', error), encryption(target, env)]
  }
}

function encryption({ baseUrl }: Target, env: Environment): Finding {
  if (isLoopback(baseUrl)) return ok('encryption', 'not needed: the service is on this machine')
  if (baseUrl.startsWith('http:')) {
    const hint = 'Use a base URL that begins with https://'
    return warn('encryption', 'none: anybody on the way can read and change what is sent; payctl sends no token', hint)
  }
  if (env.NODE_TLS_REJECT_UNAUTHORIZED === '0') {
    const detail = 'NODE_TLS_REJECT_UNAUTHORIZED=0: anybody on the way can pretend to be the service'
    return warn('encryption', detail, 'Unset it; name a certificate authority of your own with NODE_EXTRA_CA_CERTS')
  }
  return ok('encryption', 'TLS')
}

/** The header has whole seconds and was written between the two times. */
function clock({ headers }: Answer<unknown>, start: number, end: number): readonly Finding[] {
  const theirs = Date.parse(headers.date ?? '')
  if (Number.isNaN(theirs)) return []
  const skew = start > theirs + 999 ? start - theirs - 999 : end < theirs ? end - theirs : 0
  const seconds = Math.round(Math.abs(skew) / 1000)
  const apart = `this machine's clock is ${seconds} s ${skew < 0 ? 'behind' : 'ahead of'} the service's`
  if (Math.abs(skew) <= tolerance) return [ok('clock', seconds === 0 ? 'agrees with that of the service' : apart)]
  if (headers[worldHeader.toLowerCase()] !== undefined)
    return [ok('clock', `${apart}, an emulator whose clock was moved`)]
  return [warn('clock', apart, 'Set the clock, best by NTP: times of logins and of certificates depend on it')]
}

function rails({ pin_service: pin, sinpe_service: sinpe }: ServiceStatus): Finding {
  if (!pin.status || !sinpe.status) {
    return warn('rails', 'the answer says nothing of them', 'Check that the base URL is that of the API')
  }
  const detail = `PIN ${pin.status}, SINPE Móvil ${sinpe.status}`
  if (pin.available && sinpe.available) return ok('rails', detail)
  return warn(
    'rails',
    detail,
    toRun(['payments', 'service-status'], 'Payments over a rail that is down are refused or late'),
  )
}
