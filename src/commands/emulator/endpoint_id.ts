import type { FaultEndpointId } from '../../contract/control/faults.ts'
import { oauthEndpoints } from '../../contract/oauth.ts'
import { UsageError } from '../../errors/cli_error.ts'
import { nearest } from '../../errors/nearest.ts'
import { toRun } from '../../errors/next_step.ts'

/** The id of an endpoint of the service or the login. Throws UsageError with the nearest id for another text. */
export async function endpointId(text: string): Promise<FaultEndpointId> {
  const { endpoints } = await import('../../contract/endpoints.ts')
  const ids = [...Object.keys(endpoints), ...Object.keys(oauthEndpoints)]
  if (ids.includes(text)) return text as FaultEndpointId
  const near = nearest(text, ids)
  throw new UsageError(`There is no endpoint ${text}.`, near ? `Did you mean ${near}?` : toRun(['api', '--list']))
}
